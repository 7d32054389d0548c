#include "captures/link_frame.hh"

#include "captures/byte_order.hh"

#include <algorithm>
#include <bit>

namespace captures {
namespace {

using Bytes = std::span<const std::uint8_t>;
using Error = std::unexpected<std::string_view>;
using Offset = std::expected<std::size_t, std::string_view>;

constexpr std::string_view kNotIp = "not an IP packet";
constexpr unsigned kVersion4 = 4;
constexpr unsigned kVersion6 = 6;

constexpr std::size_t kEthernetHeaderBytes = 14;
constexpr std::uint16_t kEtherTypeIpv4 = 0x0800;
constexpr std::uint16_t kEtherTypeIpv6 = 0x86dd;
constexpr std::uint16_t kEtherTypeVlan = 0x8100;         // IEEE 802.1Q
constexpr std::uint16_t kEtherTypeServiceVlan = 0x88a8;  // IEEE 802.1ad
constexpr std::size_t kVlanTagBytes = 4;                 // tag, then the EtherType behind it

constexpr std::size_t kLinuxCookedHeaderBytes = 16;
constexpr std::size_t kLinuxCookedTwoHeaderBytes = 20;

// RFC 1661 section 2 and the numbers assigned for it; RFC 1662 section 3.1 has address and control.
constexpr std::uint8_t kPppAddress = 0xff;
constexpr std::uint8_t kPppControl = 0x03;
constexpr std::uint16_t kPppIpv4 = 0x0021;
constexpr std::uint16_t kPppIpv6 = 0x0057;

// AF_INET is the same everywhere; AF_INET6 is that of Linux, NetBSD and OpenBSD, FreeBSD, Darwin.
constexpr std::size_t kLoopbackHeaderBytes = 4;
constexpr std::uint32_t kFamilyIpv4 = 2;
constexpr std::array<std::uint32_t, 4> kFamiliesIpv6{10, 24, 28, 30};

// The packet at `at`, which must exist and be of the version that was announced.
Offset announced(Bytes frame, std::size_t at, unsigned version) {
  if (at >= frame.size()) return Error("no IP header");
  if (frame[at] >> 4U != version) return Error(kNotIp);
  return at;
}

Offset raw_ip(Bytes frame) {
  if (frame.empty()) return Error("no IP header");
  const unsigned version = frame[0] >> 4U;
  if (version != kVersion4 && version != kVersion6) return Error(kNotIp);
  return std::size_t{0};
}

// `at` is behind the link header, whose EtherType this is. As many VLAN tags are skipped as the
// frame has: each takes four of its bytes.
Offset behind_ether_type(Bytes frame, std::uint16_t ether_type, std::size_t at) {
  while (ether_type == kEtherTypeVlan || ether_type == kEtherTypeServiceVlan) {
    if (frame.size() - at < kVlanTagBytes) return Error("VLAN tag cut short");
    ether_type = read_16(frame, at + 2);
    at += kVlanTagBytes;
  }
  if (ether_type == kEtherTypeIpv4) return announced(frame, at, kVersion4);
  if (ether_type == kEtherTypeIpv6) return announced(frame, at, kVersion6);
  return Error(kNotIp);
}

Offset in_ethernet(Bytes frame) {
  if (frame.size() < kEthernetHeaderBytes) return Error("Ethernet header cut short");
  return behind_ether_type(frame, read_16(frame, 12), kEthernetHeaderBytes);
}

Offset in_linux_cooked(Bytes frame) {
  if (frame.size() < kLinuxCookedHeaderBytes) return Error("Linux cooked header cut short");
  return behind_ether_type(frame, read_16(frame, 14), kLinuxCookedHeaderBytes);
}

Offset in_linux_cooked_two(Bytes frame) {
  if (frame.size() < kLinuxCookedTwoHeaderBytes) return Error("Linux cooked header cut short");
  return behind_ether_type(frame, read_16(frame, 0), kLinuxCookedTwoHeaderBytes);
}

// Peers may agree to leave out address and control, and to send one byte of a protocol number whose
// first byte is zero (RFC 1661 sections 6.5 and 6.6). The last byte of a number is odd, its first
// byte even, and 0xff is none, so that all forms can be told apart.
Offset in_ppp(Bytes frame) {
  std::size_t at = 0;
  if (frame.size() >= 2 && frame[0] == kPppAddress && frame[1] == kPppControl) at = 2;
  const Bytes rest = frame.subspan(at);
  const std::size_t width = !rest.empty() && rest[0] % 2 == 1 ? 1 : 2;
  if (rest.size() < width) return Error("PPP header cut short");
  const std::uint64_t protocol = read_integer(rest.first(width), std::endian::big);
  if (protocol == kPppIpv4) return announced(frame, at + width, kVersion4);
  if (protocol == kPppIpv6) return announced(frame, at + width, kVersion6);
  return Error(kNotIp);
}

Offset in_loopback(Bytes frame, std::endian order) {
  if (frame.size() < kLoopbackHeaderBytes) return Error("loopback header cut short");
  const std::uint64_t family = read_integer(frame.first(kLoopbackHeaderBytes), order);
  if (family == kFamilyIpv4) return announced(frame, kLoopbackHeaderBytes, kVersion4);
  if (std::ranges::contains(kFamiliesIpv6, family))
    return announced(frame, kLoopbackHeaderBytes, kVersion6);
  return Error(kNotIp);
}

// The host that captured is not known. Families are below 256, so that a byte that is not zero
// tells the end at which the host writes its lowest one.
Offset in_null(Bytes frame) {
  const bool little = !frame.empty() && frame[0] != 0;
  return in_loopback(frame, little ? std::endian::little : std::endian::big);
}

}  // namespace

bool is_known_link_type(std::uint32_t link_type) {
  return std::ranges::contains(kKnownLinkTypes, link_type);
}

std::expected<std::size_t, std::string_view> ip_offset(std::uint32_t link_type,
                                                       std::span<const std::uint8_t> frame) {
  switch (link_type) {
    case kLinkNull:
      return in_null(frame);
    case kLinkEthernet:
      return in_ethernet(frame);
    case kLinkPpp:
      return in_ppp(frame);
    case kLinkRawSystem:
    case kLinkRawOpenBsd:
    case kLinkRaw:
      return raw_ip(frame);
    case kLinkLoop:
      return in_loopback(frame, std::endian::big);
    case kLinkLinuxCooked:
      return in_linux_cooked(frame);
    case kLinkIpv4:
      return announced(frame, 0, kVersion4);
    case kLinkIpv6:
      return announced(frame, 0, kVersion6);
    case kLinkLinuxCookedTwo:
      return in_linux_cooked_two(frame);
    default:
      return Error("unknown link type");
  }
}

std::expected<IpPacket, std::string_view> parse_frame(std::uint32_t link_type,
                                                      std::span<const std::uint8_t> frame) {
  return ip_offset(link_type, frame).and_then([frame](std::size_t offset) {
    return parse_ip_packet(frame.subspan(offset));
  });
}

std::expected<IpPacket, std::string_view> parse_ethernet_frame(
    std::span<const std::uint8_t> frame) {
  return parse_frame(kLinkEthernet, frame);
}

}  // namespace captures
