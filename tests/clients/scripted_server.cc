#include "tests/clients/scripted_server.hh"

#include "base/errors.hh"
#include "clients/address.hh"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace clients {
namespace {

base::FileDescriptor bound_socket(int type, const SocketAddress& address) {
  base::FileDescriptor socket(base::check_syscall(
      ::socket(address.storage.ss_family, type | SOCK_CLOEXEC, 0), "open a test's socket"));
  base::check_syscall(::bind(socket.number(), address.get(), address.length),
                      "bind a test's socket");
  return socket;
}

SocketAddress loopback() {
  return *parse_address("127.0.0.1", 0);
}

// Runs a conversation to its end, or until `wait` says that the server stops.
template <typename Wait>
void converse(const base::FileDescriptor& connection, Conversation& conversation, Wait&& wait) {
  std::array<std::uint8_t, 65536> buffer;
  while (wait()) {
    const ssize_t count = ::recv(connection.number(), buffer.data(), buffer.size(), 0);
    if (count <= 0) return;
    const auto reply =
        conversation.receive(std::span(buffer).first(static_cast<std::size_t>(count)));
    if (!reply) return;
    // In two pieces: a byte stream promises nothing else.
    const std::size_t first = std::min<std::size_t>(reply->size(), 3);
    if (first > 0) ::send(connection.number(), reply->data(), first, MSG_NOSIGNAL);
    if (reply->size() > first)
      ::send(connection.number(), reply->data() + first, reply->size() - first, MSG_NOSIGNAL);
  }
}

}  // namespace

ScriptedServer::ScriptedServer(int socket_type, const SocketAddress& address)
    : socket_(bound_socket(socket_type, address)),
      address_(local_end_of(socket_.number())),
      stop_(base::make_pipe()) {}

bool ScriptedServer::wait_readable(int descriptor, std::optional<base::Instant> deadline) const {
  std::array<pollfd, 2> waits{{{.fd = descriptor, .events = POLLIN, .revents = 0},
                               {.fd = stop_.read_end.number(), .events = POLLIN, .revents = 0}}};
  timespec timeout{};
  if (deadline) {
    const auto left =
        std::max(base::Nanoseconds(0), base::Nanoseconds(*deadline - base::SystemClock().now()));
    timeout = {.tv_sec = left.count() / 1'000'000'000, .tv_nsec = left.count() % 1'000'000'000};
  }
  ::ppoll(waits.data(), waits.size(), deadline ? &timeout : nullptr, nullptr);
  return waits[1].revents == 0;
}

void ScriptedServer::stop() {
  stop_.write_end.close();
  if (thread_.joinable()) thread_.join();
}

UdpServer::UdpServer(Script script) : ScriptedServer(SOCK_DGRAM, loopback()) {
  start([this, script = std::move(script)] {
    std::array<std::uint8_t, 65536> buffer;
    while (wait_readable(socket_.number())) {
      SocketAddress from;
      from.length = sizeof from.storage;
      const ssize_t count = ::recvfrom(socket_.number(), buffer.data(), buffer.size(), 0,
                                       reinterpret_cast<sockaddr*>(&from.storage), &from.length);
      if (count < 0) continue;
      for (const auto& reply : script(std::span(buffer).first(static_cast<std::size_t>(count))))
        ::sendto(socket_.number(), reply.data(), reply.size(), 0, from.get(), from.length);
    }
  });
}

TcpServer::TcpServer(Factory factory) : TcpServer(std::move(factory), loopback()) {}

TcpServer::TcpServer(Factory factory, const SocketAddress& address)
    : ScriptedServer(SOCK_STREAM, address) {
  base::check_syscall(::listen(socket_.number(), 16), "listen on a test's socket");
  start([this, factory = std::move(factory)] {
    while (wait_readable(socket_.number())) {
      const base::FileDescriptor connection(
          ::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!connection.is_open()) continue;
      const std::unique_ptr<Conversation> conversation = factory();
      converse(connection, *conversation, [&] { return wait_readable(connection.number()); });
    }
  });
}

QuicServer::QuicServer(const transport::TlsContext& context,
                       transport::QuicListenerSettings settings,
                       transport::QuicSessionFactory factory)
    : ScriptedServer(SOCK_DGRAM, loopback()),
      listener_(context, std::move(settings), std::move(factory)) {
  start([this] {
    while (wait_readable(socket_.number(), listener_.expiry())) serve_once();
  });
}

void QuicServer::serve_once() {
  const base::Instant now = base::SystemClock().now();
  std::array<std::uint8_t, 65536> buffer;
  transport::UdpPath path{.local = address_, .remote = {}};
  for (;;) {
    path.remote.length = sizeof path.remote.storage;
    const ssize_t count =
        ::recvfrom(socket_.number(), buffer.data(), buffer.size(), MSG_DONTWAIT,
                   reinterpret_cast<sockaddr*>(&path.remote.storage), &path.remote.length);
    if (count < 0) break;
    listener_.receive(path, std::span(buffer).first(static_cast<std::size_t>(count)), now);
  }
  listener_.handle_expiry(now);
  listener_.flush(now, [this](const transport::UdpPath& to, transport::ByteSpan datagram) {
    ::sendto(socket_.number(), datagram.data(), datagram.size(), 0, to.remote.get(),
             to.remote.length);
  });
}

}  // namespace clients
