#pragma once

// What is readable of a QUIC packet without keys (RFC 8999, RFC 9000 section 17, RFC 9369).

#include "transport/bytes.hh"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>
#include <vector>

namespace analysis {

enum class QuicPacketType : std::uint8_t {
  kInitial,
  kZeroRtt,
  kHandshake,
  kRetry,
  kVersionNegotiation,
  kOneRtt,
};
std::string_view to_string(QuicPacketType type);  // "Initial", "0-RTT", ...

// RFC 9000 section 12.3: Initial, Handshake and application data are numbered each for themselves;
// 0-RTT shares the space of 1-RTT.
inline constexpr std::size_t kPacketNumberSpaces = 3;
std::size_t packet_number_space(QuicPacketType type);

struct QuicHeader {
  QuicPacketType type = QuicPacketType::kOneRtt;
  std::uint32_t version = 0;  // of long headers
  transport::ByteSpan dcid;
  transport::ByteSpan scid;                       // of long headers
  transport::ByteSpan token;                      // of Initial and Retry
  std::vector<std::uint32_t> supported_versions;  // of Version Negotiation
  std::size_t number_offset = 0;                  // where the protected packet number begins
  std::size_t size = 0;                           // of the whole packet; the next one follows
  bool long_header() const { return type != QuicPacketType::kOneRtt; }
  // Retry and Version Negotiation have neither a number nor frames.
  bool has_frames() const {
    return type != QuicPacketType::kRetry && type != QuicPacketType::kVersionNegotiation;
  }
};

// The first packet of `datagram`, which may hold several. The spans view it. Short headers do not
// tell how long their connection ID is: `short_dcid_bytes` does. The error says what is wrong.
std::expected<QuicHeader, std::string_view> parse_quic_header(transport::ByteSpan datagram,
                                                              std::size_t short_dcid_bytes);

// Whether a first datagram of a flow looks like the start of a QUIC connection: a long header of a
// known version with plausible connection IDs.
bool looks_like_quic(transport::ByteSpan datagram);

// RFC 9000 section A.3: the number nearest to `expected` that ends with these bits.
std::uint64_t full_packet_number(std::uint64_t truncated, std::size_t bytes,
                                 std::uint64_t expected);

}  // namespace analysis
