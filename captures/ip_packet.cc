#include "captures/ip_packet.hh"

#include "captures/byte_order.hh"

#include <arpa/inet.h>

#include <algorithm>
#include <cstddef>

namespace captures {
namespace {

using Bytes = std::span<const std::uint8_t>;
using Error = std::unexpected<std::string_view>;

constexpr std::size_t kMinIpv4HeaderBytes = 20;
constexpr std::size_t kIpv6HeaderBytes = 40;
constexpr std::size_t kUdpHeaderBytes = 8;
constexpr std::size_t kIcmpHeaderBytes = 8;
constexpr std::array<std::uint8_t, 12> kIpv4MappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

// RFC 8200 section 4: extension headers that may stand before the transport header.
constexpr std::uint8_t kHopByHopOptions = 0;
constexpr std::uint8_t kRoutingHeader = 43;
constexpr std::uint8_t kFragmentHeader = 44;
constexpr std::uint8_t kDestinationOptions = 60;
constexpr int kMaxExtensionHeaders = 8;

enum class Quoting { kAllowed, kForbidden };

IpAddress ipv4_address(Bytes bytes) {
  IpAddress address;
  std::ranges::copy(kIpv4MappedPrefix, address.bytes.begin());
  std::ranges::copy(bytes, address.bytes.begin() + kIpv4MappedPrefix.size());
  return address;
}

IpAddress ipv6_address(Bytes bytes) {
  IpAddress address;
  std::ranges::copy(bytes, address.bytes.begin());
  return address;
}

IpProtocol protocol_of(std::uint8_t number) {
  switch (number) {
    case 1:
      return IpProtocol::kIcmp;
    case 6:
      return IpProtocol::kTcp;
    case 17:
      return IpProtocol::kUdp;
    case 58:
      return IpProtocol::kIcmpv6;
    default:
      return IpProtocol::kOther;
  }
}

std::expected<IpPacket, std::string_view> parse_ip(Bytes bytes, Quoting quoting);

// RFC 792 and RFC 4443 section 3: errors quote the start of the packet that caused them, behind
// eight bytes of their own.
bool is_icmp_error(IpProtocol protocol, std::uint8_t type) {
  if (protocol == IpProtocol::kIcmpv6) return type < 128;
  return type == 3 || type == 4 || type == 5 || type == 11 || type == 12;
}

void read_icmp(IpPacket& packet, Bytes bytes, Quoting quoting) {
  if (bytes.size() < kIcmpHeaderBytes) return;
  packet.icmp_type = bytes[0];
  packet.payload = bytes.subspan(kIcmpHeaderBytes);
  if (quoting == Quoting::kForbidden || !is_icmp_error(packet.tuple.protocol, packet.icmp_type))
    return;
  if (const auto quoted = parse_ip(packet.payload, Quoting::kForbidden))
    packet.quoted = quoted->tuple;
}

// The length (RFC 768) leaves out what a sender or its network card put behind the datagram. A
// first fragment has less than that.
Bytes udp_payload(Bytes datagram) {
  if (datagram.size() < kUdpHeaderBytes) return {};
  const std::size_t length = std::min<std::size_t>(read_16(datagram, 4), datagram.size());
  return length < kUdpHeaderBytes ? Bytes() : datagram.first(length).subspan(kUdpHeaderBytes);
}

void read_transport(IpPacket& packet, Bytes bytes, Quoting quoting) {
  const IpProtocol protocol = packet.tuple.protocol;
  if (protocol == IpProtocol::kIcmp || protocol == IpProtocol::kIcmpv6) {
    read_icmp(packet, bytes, quoting);
  } else if (protocol == IpProtocol::kUdp || protocol == IpProtocol::kTcp) {
    // Ports stand in the first four bytes of both; a quoted packet may end soon behind them.
    if (bytes.size() < 4) return;
    packet.tuple.source_port = read_16(bytes, 0);
    packet.tuple.destination_port = read_16(bytes, 2);
    if (protocol == IpProtocol::kUdp) {
      packet.payload = udp_payload(bytes);
      return;
    }
    packet.tcp = parse_tcp_header(bytes);
    if (packet.tcp) packet.payload = bytes.subspan(packet.tcp->header_length);
  } else {
    packet.payload = bytes;
  }
}

std::expected<IpPacket, std::string_view> parse_ipv4(Bytes bytes, Quoting quoting) {
  if (bytes.size() < kMinIpv4HeaderBytes) return Error("IPv4 header cut short");
  const std::size_t header = std::size_t{bytes[0]} % 16 * 4;
  const std::size_t length = read_16(bytes, 2);
  if (header < kMinIpv4HeaderBytes || length < header) return Error("IPv4 lengths disagree");
  const bool cut = length > bytes.size();
  if ((cut && quoting == Quoting::kAllowed) || header > bytes.size())
    return Error("IPv4 packet cut short");

  IpPacket packet;
  packet.ip_length = static_cast<std::uint32_t>(length);
  packet.tuple.protocol = protocol_of(bytes[9]);
  packet.tuple.source = ipv4_address(bytes.subspan(12, 4));
  packet.tuple.destination = ipv4_address(bytes.subspan(16, 4));
  const std::uint16_t flags_and_offset = read_16(bytes, 6);
  const bool more = (flags_and_offset & 0x2000U) != 0;
  const unsigned offset = flags_and_offset & 0x1fffU;
  if (more || offset != 0)
    packet.fragment = Fragment{.identification = read_16(bytes, 4), .first = offset == 0};
  const Bytes rest = bytes.subspan(header, std::min(length, bytes.size()) - header);
  if (offset == 0) {
    read_transport(packet, rest, quoting);
  } else {
    packet.payload = rest;
  }
  return packet;
}

std::expected<IpPacket, std::string_view> parse_ipv6(Bytes bytes, Quoting quoting) {
  if (bytes.size() < kIpv6HeaderBytes) return Error("IPv6 header cut short");
  const std::size_t length = kIpv6HeaderBytes + read_16(bytes, 4);
  if (length > bytes.size() && quoting == Quoting::kAllowed) return Error("IPv6 packet cut short");

  IpPacket packet;
  packet.ip_length = static_cast<std::uint32_t>(length);
  packet.tuple.source = ipv6_address(bytes.subspan(8, 16));
  packet.tuple.destination = ipv6_address(bytes.subspan(24, 16));
  std::uint8_t next = bytes[6];
  Bytes rest = bytes.first(std::min(length, bytes.size())).subspan(kIpv6HeaderBytes);
  for (int headers = 0;; ++headers) {
    if (headers > kMaxExtensionHeaders) return Error("too many IPv6 extension headers");
    const bool options =
        next == kHopByHopOptions || next == kRoutingHeader || next == kDestinationOptions;
    if (!options && next != kFragmentHeader) break;
    if (rest.size() < 8) return Error("IPv6 extension header cut short");
    if (next == kFragmentHeader)
      packet.fragment =
          Fragment{.identification = read_32(rest, 4), .first = (read_16(rest, 2) & 0xfff8U) == 0};
    const std::size_t header = options ? (std::size_t{rest[1]} + 1) * 8 : 8;
    if (header > rest.size()) return Error("IPv6 extension header cut short");
    next = rest[0];
    rest = rest.subspan(header);
    // What follows in a later fragment is data, whatever its first bytes look like.
    if (packet.fragment && !packet.fragment->first) break;
  }
  packet.tuple.protocol = protocol_of(next);
  if (packet.fragment && !packet.fragment->first) {
    packet.payload = rest;
  } else {
    read_transport(packet, rest, quoting);
  }
  return packet;
}

std::expected<IpPacket, std::string_view> parse_ip(Bytes bytes, Quoting quoting) {
  if (bytes.empty()) return Error("no IP header");
  switch (bytes[0] >> 4U) {
    case 4:
      return parse_ipv4(bytes, quoting);
    case 6:
      return parse_ipv6(bytes, quoting);
    default:
      return Error("unknown IP version");
  }
}

}  // namespace

bool IpAddress::is_ipv4() const {
  return std::ranges::equal(std::span(bytes).first(kIpv4MappedPrefix.size()), kIpv4MappedPrefix);
}

std::string to_string(const IpAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool ipv4 = address.is_ipv4();
  const std::uint8_t* bytes = address.bytes.data() + (ipv4 ? kIpv4MappedPrefix.size() : 0);
  return ::inet_ntop(ipv4 ? AF_INET : AF_INET6, bytes, text.data(), text.size());
}

std::optional<IpAddress> parse_ip_address(std::string_view text) {
  const std::string terminated(text);
  std::array<std::uint8_t, 16> bytes{};
  if (::inet_pton(AF_INET, terminated.c_str(), bytes.data()) == 1)
    return ipv4_address(std::span(bytes).first(4));
  if (::inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return ipv6_address(bytes);
  return std::nullopt;
}

FiveTuple FiveTuple::reversed() const {
  return {.protocol = protocol,
          .source = destination,
          .source_port = destination_port,
          .destination = source,
          .destination_port = source_port};
}

bool IpPacket::is_echo() const {
  if (tuple.protocol == IpProtocol::kIcmp) return icmp_type == 8 || icmp_type == 0;
  return tuple.protocol == IpProtocol::kIcmpv6 && (icmp_type == 128 || icmp_type == 129);
}

std::expected<IpPacket, std::string_view> parse_ip_packet(std::span<const std::uint8_t> bytes) {
  return parse_ip(bytes, Quoting::kAllowed);
}

}  // namespace captures
