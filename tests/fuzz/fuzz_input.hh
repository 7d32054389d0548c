#pragma once

// Inputs as a row of pieces, so that a fuzzer can move, repeat and change each by itself.

#include "transport/bytes.hh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fuzz {

struct Piece {
  std::uint8_t kind = 0;
  transport::ByteSpan bytes;
};

// A byte of kind, two bytes of length, most significant first, the bytes; and so on.
inline std::vector<Piece> pieces_of(transport::ByteSpan input) {
  std::vector<Piece> pieces;
  while (input.size() >= 3) {
    const std::uint8_t kind = input[0];
    const std::size_t length = static_cast<std::size_t>(input[1]) << 8U | input[2];
    input = input.subspan(3);
    pieces.push_back({kind, input.first(std::min(length, input.size()))});
    input = input.subspan(pieces.back().bytes.size());
  }
  return pieces;
}

}  // namespace fuzz
