#pragma once

// Integers as packets and capture files hold them. The caller has made sure that the bytes are
// there.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace captures {

// Of up to eight bytes.
inline std::uint64_t read_integer(std::span<const std::uint8_t> bytes, std::endian order) {
  std::uint64_t value = 0;
  for (std::size_t index = 0; index < bytes.size(); ++index)
    value = value << 8U | bytes[order == std::endian::big ? index : bytes.size() - 1 - index];
  return value;
}

// In network byte order.
inline std::uint16_t read_16(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8U | bytes[at + 1]);
}

inline std::uint32_t read_32(std::span<const std::uint8_t> bytes, std::size_t at) {
  return std::uint32_t{read_16(bytes, at)} << 16U | read_16(bytes, at + 2);
}

}  // namespace captures
