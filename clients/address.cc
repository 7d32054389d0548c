#include "clients/address.hh"

#include "base/errors.hh"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <format>
#include <memory>

namespace clients {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

AddressList look_up(const std::string& host, std::uint16_t port, int flags, int* error) {
  addrinfo hints{};
  hints.ai_flags = flags | AI_NUMERICSERV;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;  // One entry per address; any type would do.
  addrinfo* found = nullptr;
  *error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  return {found, &::freeaddrinfo};
}

const sockaddr_in& as_ipv4(const SocketAddress& address) {
  LABRUN_ASSERT(address.storage.ss_family == AF_INET);
  return reinterpret_cast<const sockaddr_in&>(address.storage);
}

const sockaddr_in6& as_ipv6(const SocketAddress& address) {
  LABRUN_ASSERT(address.storage.ss_family == AF_INET6);
  return reinterpret_cast<const sockaddr_in6&>(address.storage);
}

bool is_ipv6(const SocketAddress& address) {
  return address.storage.ss_family == AF_INET6;
}

}  // namespace

std::optional<SocketAddress> parse_address(const std::string& address, std::uint16_t port) {
  sockaddr_in ipv4{};
  ipv4.sin_family = AF_INET;
  ipv4.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &ipv4.sin_addr) == 1)
    return SocketAddress(reinterpret_cast<const sockaddr*>(&ipv4), sizeof ipv4);
  // getaddrinfo(3) knows IPv6 zones, but also takes "192.0.2" for 192.0.0.2.
  if (address.find(':') == std::string::npos) return std::nullopt;
  int error = 0;
  const AddressList found = look_up(address, port, AI_NUMERICHOST, &error);
  if (error != 0 || !found) return std::nullopt;
  return SocketAddress(found->ai_addr, found->ai_addrlen);
}

SocketAddress wildcard_address(int family, std::uint16_t port) {
  if (family == AF_INET6) {
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_port = htons(port);
    return {reinterpret_cast<const sockaddr*>(&any), sizeof any};
  }
  LABRUN_ASSERT(family == AF_INET);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(port);
  return {reinterpret_cast<const sockaddr*>(&any), sizeof any};
}

SocketAddress local_end_of(int socket) {
  SocketAddress local;
  local.length = sizeof local.storage;
  base::check_syscall(
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&local.storage), &local.length),
      "ask for the local address of socket {}", socket);
  return local;
}

std::uint16_t port_of(const SocketAddress& address) {
  return ntohs(is_ipv6(address) ? as_ipv6(address).sin6_port : as_ipv4(address).sin_port);
}

std::string address_text(const SocketAddress& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (is_ipv6(address))
    ::inet_ntop(AF_INET6, &as_ipv6(address).sin6_addr, text, sizeof text);
  else
    ::inet_ntop(AF_INET, &as_ipv4(address).sin_addr, text, sizeof text);
  return text;
}

std::string endpoint_text(const SocketAddress& address) {
  return is_ipv6(address) ? std::format("[{}]:{}", address_text(address), port_of(address))
                          : std::format("{}:{}", address_text(address), port_of(address));
}

SocketAddress resolve_host(const std::string& host, std::uint16_t port) {
  if (const auto numeric = parse_address(host, port)) return *numeric;
  int error = 0;
  const AddressList found = look_up(host, port, AI_ADDRCONFIG, &error);
  if (error != 0)
    throw base::LabError(std::format("find the address of {}: {}", host, ::gai_strerror(error)));
  return {found->ai_addr, found->ai_addrlen};
}

}  // namespace clients
