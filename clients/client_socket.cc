#include "clients/client_socket.hh"

#include "base/errors.hh"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace clients {
namespace {

// Not an error of the path: the socket is full or empty, or the connection is on its way.
bool is_transient(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINPROGRESS || error == EINTR;
}

}  // namespace

ClientSocket::ClientSocket(SocketKind kind, const SocketAddress& server, std::uint16_t local_port,
                           ReceiveBuffer& buffer)
    : kind_(kind),
      server_(server),
      local_(wildcard_address(server.storage.ss_family, local_port)),
      descriptor_(base::check_syscall(
          ::socket(
              server.storage.ss_family,
              (kind == SocketKind::kTcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_NONBLOCK | SOCK_CLOEXEC,
              0),
          "open a socket to {}", endpoint_text(server))),
      buffer_(buffer) {
  if (local_port != 0) {
    base::check_syscall(::bind(number(), local_.get(), local_.length),
                        "bind a socket to local port {}", local_port);
  }
  if (kind == SocketKind::kTcp) {
    const int on = 1;
    base::check_syscall(::setsockopt(number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on),
                        "set TCP_NODELAY");
  }
}

void ClientSocket::forbid_fragments() {
  const bool is_ipv6 = server_.storage.ss_family == AF_INET6;
  static_assert(IPV6_PMTUDISC_PROBE == IP_PMTUDISC_PROBE);
  const int mode = IP_PMTUDISC_PROBE;
  base::check_syscall(
      ::setsockopt(number(), is_ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
                   is_ipv6 ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER, &mode, sizeof mode),
      "forbid IP fragments");
}

int ClientSocket::connect() {
  if (::connect(number(), server_.get(), server_.length) < 0 && !is_transient(errno)) return errno;
  local_ = local_end_of(number());
  return 0;
}

int ClientSocket::pending_error() const {
  int error = 0;
  socklen_t length = sizeof error;
  base::check_syscall(::getsockopt(number(), SOL_SOCKET, SO_ERROR, &error, &length),
                      "ask for the error of a socket");
  return error;
}

captures::Flow ClientSocket::flow() const {
  return {.protocol = kind_ == SocketKind::kTcp ? "tcp" : "udp",
          .local_address = address_text(local_),
          .local_port = port_of(local_),
          .remote_address = address_text(server_),
          .remote_port = port_of(server_)};
}

SendResult ClientSocket::send(transport::ByteSpan bytes, bool more) {
  const ssize_t count =
      ::send(number(), bytes.data(), bytes.size(), MSG_NOSIGNAL | (more ? MSG_MORE : 0));
  if (count >= 0) return {.bytes = static_cast<std::size_t>(count)};
  return {.error = is_transient(errno) ? 0 : errno};
}

ReceiveResult ClientSocket::receive() {
  const std::span<std::uint8_t> slot = buffer_.slot(0);
  const ssize_t count = ::recv(number(), slot.data(), slot.size(), 0);
  if (count < 0) return {.bytes = {}, .error = is_transient(errno) ? 0 : errno};
  return {.bytes = slot.first(static_cast<std::size_t>(count)),
          .end = count == 0 && kind_ == SocketKind::kTcp};
}

int ClientSocket::send_datagrams(std::span<const transport::Bytes> datagrams) {
  while (!datagrams.empty()) {
    std::array<iovec, ReceiveBuffer::kSlots> parts;
    std::array<mmsghdr, ReceiveBuffer::kSlots> messages{};
    const std::size_t count = std::min(datagrams.size(), ReceiveBuffer::kSlots);
    for (std::size_t index = 0; index < count; ++index) {
      // sendmmsg(2) only reads, though its type does not say so.
      parts[index] = {.iov_base = const_cast<std::uint8_t*>(datagrams[index].data()),
                      .iov_len = datagrams[index].size()};
      messages[index].msg_hdr.msg_iov = &parts[index];
      messages[index].msg_hdr.msg_iovlen = 1;
    }
    const int sent =
        ::sendmmsg(number(), messages.data(), static_cast<unsigned>(count), MSG_NOSIGNAL);
    if (sent < 0 && errno != EMSGSIZE) return is_transient(errno) ? 0 : errno;
    // One that is too large for the path, a probe for instance, is lost; the others go.
    datagrams = datagrams.subspan(sent < 0 ? 1 : static_cast<std::size_t>(sent));
  }
  return 0;
}

std::span<const transport::ByteSpan> ClientSocket::receive_datagrams(int* error) {
  std::array<iovec, ReceiveBuffer::kSlots> parts;
  std::array<mmsghdr, ReceiveBuffer::kSlots> messages{};
  for (std::size_t index = 0; index < ReceiveBuffer::kSlots; ++index) {
    parts[index] = {.iov_base = buffer_.slot(index).data(), .iov_len = ReceiveBuffer::kSlotBytes};
    messages[index].msg_hdr.msg_iov = &parts[index];
    messages[index].msg_hdr.msg_iovlen = 1;
  }
  datagrams_.clear();
  const int count =
      ::recvmmsg(number(), messages.data(), ReceiveBuffer::kSlots, MSG_DONTWAIT, nullptr);
  *error = count < 0 && !is_transient(errno) && errno != EMSGSIZE ? errno : 0;
  for (int index = 0; index < count; ++index) {
    const auto at = static_cast<std::size_t>(index);
    datagrams_.push_back(buffer_.slot(at).first(messages[at].msg_len));
  }
  return datagrams_;
}

}  // namespace clients
