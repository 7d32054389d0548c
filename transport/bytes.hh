#pragma once

// Byte sequences as this folder passes them around: owned and borrowed.

#include <cstdint>
#include <span>
#include <vector>

namespace transport {

using Bytes = std::vector<std::uint8_t>;
using ByteSpan = std::span<const std::uint8_t>;

inline void append(Bytes& to, ByteSpan bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace transport
