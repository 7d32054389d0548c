#include "endpoints/bound_socket.hh"

#include "base/errors.hh"
#include "endpoints/bad_spec.hh"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <format>

namespace endpoints {
namespace {

constexpr int kBacklog = 1024;

void set_option(const base::FileDescriptor& socket, int level, int option, int value) {
  base::check_syscall(::setsockopt(socket.number(), level, option, &value, sizeof value),
                      "set option {} of level {} of a listening socket", option, level);
}

std::string advice(int error_number) {
  switch (error_number) {
    case EACCES:
      return " (ports below 1024 need privilege: use --port-offset 8000, or run as root, or lower "
             "net.ipv4.ip_unprivileged_port_start)";
    case EADDRINUSE:
      return " (another program has this port: use --port-offset, or --transports to leave it out)";
    case EADDRNOTAVAIL:
      return " (no interface has this address)";
    default:
      return "";
  }
}

base::FileDescriptor bind_socket(const transport::SocketAddress& address, int type,
                                 std::string_view purpose) {
  base::FileDescriptor socket(base::check_syscall(
      ::socket(address.get()->sa_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0),
      "create a socket for {}", purpose));
  // Else [::] would take the IPv4 port of 0.0.0.0 too.
  if (address.get()->sa_family == AF_INET6) set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, 1);
  if (type == SOCK_STREAM) set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  if (::bind(socket.number(), address.get(), address.length) < 0) {
    const int error_number = errno;
    throw base::SystemError(
        std::format("{}: listen on {}{}", purpose, to_string(address), advice(error_number)),
        error_number);
  }
  return socket;
}

}  // namespace

transport::SocketAddress socket_address(const std::string& address, std::uint16_t port) {
  sockaddr_in ipv4{};
  if (::inet_pton(AF_INET, address.c_str(), &ipv4.sin_addr) == 1) {
    ipv4.sin_family = AF_INET;
    ipv4.sin_port = htons(port);
    return {reinterpret_cast<const sockaddr*>(&ipv4), sizeof ipv4};
  }
  sockaddr_in6 ipv6{};
  if (::inet_pton(AF_INET6, address.c_str(), &ipv6.sin6_addr) == 1) {
    ipv6.sin6_family = AF_INET6;
    ipv6.sin6_port = htons(port);
    return {reinterpret_cast<const sockaddr*>(&ipv6), sizeof ipv6};
  }
  throw BadSpec(std::format("\"{}\" is not an IPv4 or IPv6 address", address));
}

std::string to_string(const transport::SocketAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.get()->sa_family == AF_INET) {
    const auto* ipv4 = reinterpret_cast<const sockaddr_in*>(&address.storage);
    ::inet_ntop(AF_INET, &ipv4->sin_addr, text.data(), text.size());
    return std::format("{}:{}", text.data(), ntohs(ipv4->sin_port));
  }
  const auto* ipv6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
  ::inet_ntop(AF_INET6, &ipv6->sin6_addr, text.data(), text.size());
  return std::format("[{}]:{}", text.data(), ntohs(ipv6->sin6_port));
}

base::FileDescriptor bind_udp(const transport::SocketAddress& address, Fragmentation fragmentation,
                              std::string_view purpose) {
  base::FileDescriptor socket = bind_socket(address, SOCK_DGRAM, purpose);
  // PROBE sets DF and does not believe ICMP: QUIC finds the path's MTU itself (RFC 8899).
  if (fragmentation == Fragmentation::kNever) {
    if (address.get()->sa_family == AF_INET)
      set_option(socket, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
    else
      set_option(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE);
  }
  return socket;
}

base::FileDescriptor listen_tcp(const transport::SocketAddress& address, std::string_view purpose) {
  base::FileDescriptor socket = bind_socket(address, SOCK_STREAM, purpose);
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  base::check_syscall(::listen(socket.number(), kBacklog), "{}: listen on {}", purpose,
                      to_string(address));
  return socket;
}

}  // namespace endpoints
