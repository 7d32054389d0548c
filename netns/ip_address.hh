#pragma once

// An IPv4 or IPv6 address, in network byte order.

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace netns {

class IpAddress {
 public:
  // Takes the numeric forms of inet_pton(3) only; nullopt for anything else, a zone ("%eth0")
  // included.
  static std::optional<IpAddress> parse(std::string_view text);

  // Takes 4 or 16 bytes; nullopt for any other number of them.
  static std::optional<IpAddress> from(std::span<const std::byte> bytes);

  bool is_v6() const { return is_v6_; }
  int family() const { return is_v6_ ? AF_INET6 : AF_INET; }
  // 4 or 16 bytes.
  std::span<const std::uint8_t> bytes() const { return std::span(bytes_).first(is_v6_ ? 16 : 4); }
  std::string to_string() const;
  // As connect(2) and sendto(2) take it; `length` is set to the part that is used.
  sockaddr_storage socket_address(std::uint16_t port, socklen_t& length) const;
  auto operator<=>(const IpAddress&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
  bool is_v6_ = false;
};

}  // namespace netns
