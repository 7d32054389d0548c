#include "netns/ip_address.hh"

#include "base/errors.hh"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace netns {

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  IpAddress address;
  address.is_v6_ = text.contains(':');
  if (::inet_pton(address.family(), std::string(text).c_str(), address.bytes_.data()) != 1)
    return std::nullopt;
  return address;
}

std::optional<IpAddress> IpAddress::from(std::span<const std::byte> bytes) {
  if (bytes.size() != 4 && bytes.size() != 16) return std::nullopt;
  IpAddress address;
  address.is_v6_ = bytes.size() == 16;
  std::memcpy(address.bytes_.data(), bytes.data(), bytes.size());
  return address;
}

std::string IpAddress::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  LABRUN_ASSERT(::inet_ntop(family(), bytes_.data(), text.data(), text.size()) != nullptr);
  return text.data();
}

sockaddr_storage IpAddress::socket_address(std::uint16_t port, socklen_t& length) const {
  sockaddr_storage storage{};
  if (is_v6_) {
    auto& address = reinterpret_cast<sockaddr_in6&>(storage);
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    std::ranges::copy(bytes(), address.sin6_addr.s6_addr);
    length = sizeof address;
  } else {
    auto& address = reinterpret_cast<sockaddr_in&>(storage);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    std::memcpy(&address.sin_addr, bytes_.data(), sizeof address.sin_addr);
    length = sizeof address;
  }
  return storage;
}

}  // namespace netns
