#pragma once

// As much of IPv4 (RFC 791), IPv6 (RFC 8200), UDP (RFC 768), TCP, ICMP (RFC 792) and ICMPv6 (RFC
// 4443) as accounting needs: who sent how much to whom. Bounded, allocation-free, and safe on any
// bytes.

#include "captures/tcp_header.hh"

#include <array>
#include <compare>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace captures {

// An IPv4 or IPv6 address. IPv4 is kept in its IPv4-mapped IPv6 form, so that all compare alike.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const IpAddress&) const = default;
  bool is_ipv4() const;
};
// As inet_ntop writes it.
std::string to_string(const IpAddress& address);
std::optional<IpAddress> parse_ip_address(std::string_view text);

enum class IpProtocol : std::uint8_t {
  kIcmp = 1,
  kTcp = 6,
  kUdp = 17,
  kIcmpv6 = 58,
  kOther = 255,
};

// Addresses and ports of one packet, in the direction of the packet.
struct FiveTuple {
  IpProtocol protocol = IpProtocol::kOther;
  IpAddress source;
  std::uint16_t source_port = 0;
  IpAddress destination;
  std::uint16_t destination_port = 0;
  auto operator<=>(const FiveTuple&) const = default;
  FiveTuple reversed() const;
};

// Set in fragments (RFC 791 section 3.2, RFC 8200 section 4.5). Only the first one carries ports.
struct Fragment {
  std::uint32_t identification = 0;
  bool first = false;
  bool operator==(const Fragment&) const = default;
};

struct IpPacket {
  FiveTuple tuple;              // ports are 0 where the packet has none
  std::uint32_t ip_length = 0;  // whole IP packet, header included, as its own header says
  // Behind the UDP, TCP or ICMP header, and no longer than the datagram says that it is; empty
  // where that header is cut short or contradicts itself. Views the frame.
  std::span<const std::uint8_t> payload;
  std::optional<Fragment> fragment;
  std::optional<TcpHeader> tcp;     // where the whole of it is there
  std::uint8_t icmp_type = 0;       // ICMP and ICMPv6 only
  std::optional<FiveTuple> quoted;  // of the packet that an ICMP error complains about

  bool is_echo() const;  // echo request or reply of either ICMP
};

// Takes an IP packet from its header on, with or without padding behind it. The error says in words
// why this is none, or none that can be counted. captures/link_frame.hh takes it out of its frame.
std::expected<IpPacket, std::string_view> parse_ip_packet(std::span<const std::uint8_t> bytes);

}  // namespace captures
