#pragma once

// Variable-length integers of QUIC and HTTP/3 (RFC 9000 section 16).

#include "transport/bytes.hh"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace analysis {

// The integer at the front of `bytes`, which then begins behind it; nullopt, and `bytes` as it was,
// where it is cut short.
inline std::optional<std::uint64_t> take_varint(transport::ByteSpan& bytes) {
  if (bytes.empty()) return std::nullopt;
  const std::size_t length = std::size_t{1} << (bytes[0] >> 6U);
  if (bytes.size() < length) return std::nullopt;
  std::uint64_t value = bytes[0] & 0x3fU;
  for (const std::uint8_t byte : bytes.subspan(1, length - 1)) value = value << 8U | byte;
  bytes = bytes.subspan(length);
  return value;
}

}  // namespace analysis
