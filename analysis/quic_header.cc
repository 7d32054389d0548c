#include "analysis/quic_header.hh"

#include "analysis/byte_reader.hh"
#include "analysis/key_schedule.hh"

#include <array>

namespace analysis {
namespace {

using transport::ByteSpan;
using Error = std::unexpected<std::string_view>;

constexpr std::size_t kMaxConnectionIdBytes = 20;
constexpr std::size_t kRetryTagBytes = 16;

QuicPacketType long_type(std::uint8_t bits, std::uint32_t version) {
  using enum QuicPacketType;
  constexpr std::array kOrder{kInitial, kZeroRtt, kHandshake, kRetry};
  // RFC 9369 section 3.2 moves every type up by one.
  const bool second = version == static_cast<std::uint32_t>(QuicVersion::kV2);
  return kOrder.at((bits + (second ? 3U : 0U)) % kOrder.size());
}

std::expected<QuicHeader, std::string_view> version_negotiation(ByteReader& reader,
                                                                QuicHeader header) {
  header.type = QuicPacketType::kVersionNegotiation;
  constexpr std::size_t kMaxVersions = 256;
  while (reader.left() >= 4 && header.supported_versions.size() < kMaxVersions)
    header.supported_versions.push_back(static_cast<std::uint32_t>(reader.integer(4)));
  reader.rest();
  header.size = reader.at();
  return header;
}

std::expected<QuicHeader, std::string_view> long_header(ByteSpan datagram) {
  ByteReader reader(datagram);
  const auto first = static_cast<std::uint8_t>(reader.integer(1));
  QuicHeader header;
  header.version = static_cast<std::uint32_t>(reader.integer(4));
  header.dcid = reader.vector(1);
  header.scid = reader.vector(1);
  if (reader.failed()) return Error("QUIC long header cut short");
  if (header.version == 0) return version_negotiation(reader, std::move(header));
  if (header.dcid.size() > kMaxConnectionIdBytes || header.scid.size() > kMaxConnectionIdBytes)
    return Error("QUIC connection ID longer than 20 bytes");
  if (!known_quic_version(header.version)) return Error("unknown QUIC version");
  header.type = long_type(first >> 4U & 3U, header.version);
  if (header.type == QuicPacketType::kRetry) {
    if (reader.left() < kRetryTagBytes) return Error("Retry packet cut short");
    header.token = reader.span(reader.left() - kRetryTagBytes);
    reader.rest();
    header.size = reader.at();
    return header;
  }
  if (header.type == QuicPacketType::kInitial) header.token = reader.span(reader.varint());
  const std::uint64_t length = reader.varint();
  header.number_offset = reader.at();
  reader.span(length);
  if (reader.failed()) return Error("QUIC packet longer than its datagram");
  header.size = reader.at();
  return header;
}

}  // namespace

std::string_view to_string(QuicPacketType type) {
  switch (type) {
    case QuicPacketType::kInitial:
      return "Initial";
    case QuicPacketType::kZeroRtt:
      return "0-RTT";
    case QuicPacketType::kHandshake:
      return "Handshake";
    case QuicPacketType::kRetry:
      return "Retry";
    case QuicPacketType::kVersionNegotiation:
      return "Version Negotiation";
    case QuicPacketType::kOneRtt:
      break;
  }
  return "1-RTT";
}

std::size_t packet_number_space(QuicPacketType type) {
  if (type == QuicPacketType::kInitial) return 0;
  return type == QuicPacketType::kHandshake ? 1 : 2;
}

std::expected<QuicHeader, std::string_view> parse_quic_header(ByteSpan datagram,
                                                              std::size_t short_dcid_bytes) {
  if (datagram.empty()) return Error("empty datagram");
  if ((datagram[0] & 0x80U) != 0) return long_header(datagram);
  if ((datagram[0] & 0x40U) == 0) return Error("not a QUIC packet");
  if (datagram.size() < 1 + short_dcid_bytes) return Error("QUIC short header cut short");
  QuicHeader header;
  header.dcid = datagram.subspan(1, short_dcid_bytes);
  header.number_offset = 1 + short_dcid_bytes;
  header.size = datagram.size();
  return header;
}

bool looks_like_quic(ByteSpan datagram) {
  if (datagram.empty() || (datagram[0] & 0xc0U) != 0xc0U) return false;
  return parse_quic_header(datagram, 0).has_value();
}

std::uint64_t full_packet_number(std::uint64_t truncated, std::size_t bytes,
                                 std::uint64_t expected) {
  const std::uint64_t window = std::uint64_t{1} << (8 * bytes);
  const std::uint64_t candidate = (expected & ~(window - 1)) | truncated;
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 62U;
  if (candidate + window / 2 <= expected && candidate < kLimit - window) return candidate + window;
  if (candidate > expected + window / 2 && candidate >= window) return candidate - window;
  return candidate;
}

}  // namespace analysis
