// Whatever two ends send, messages lie within what was sent, a text says the first thing that was
// not understood, and while all can be read how the bytes were cut into pieces changes nothing.
// Built with libFuzzer.
//
// Input: a byte that chooses the carriage, then pieces: a byte whose bits are the sender (1), FIN
// (2), RESET_STREAM (4) and, from 8 on, the stream; two bytes of length, most significant first;
// the bytes.

#include "analysis/dns_carriage.hh"
#include "base/errors.hh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using analysis::End;

struct Piece {
  End from = End::kClient;
  std::uint64_t stream = 0;
  transport::ByteSpan bytes;
  bool fin = false;
  bool reset = false;
};

std::vector<Piece> pieces_of(transport::ByteSpan input) {
  std::vector<Piece> pieces;
  while (input.size() >= 3) {
    const std::uint8_t kind = input[0];
    const std::size_t length = static_cast<std::size_t>(input[1]) << 8U | input[2];
    input = input.subspan(3);
    const auto bytes = input.first(std::min(length, input.size()));
    input = input.subspan(bytes.size());
    pieces.push_back({.from = (kind & 1U) != 0 ? End::kServer : End::kClient,
                      .stream = static_cast<std::uint64_t>(kind >> 3U),
                      .bytes = bytes,
                      .fin = (kind & 2U) != 0,
                      .reset = (kind & 4U) != 0});
  }
  return pieces;
}

struct Decoded {
  std::vector<analysis::CarriedMessage> messages;
  std::string problem;
  bool operator==(const Decoded&) const = default;
};

// In pieces of at most `largest` bytes.
Decoded decode(analysis::Carriage carriage, const std::vector<Piece>& pieces, std::size_t largest) {
  const auto decoder = analysis::make_dns_carriage(carriage);
  for (const Piece& piece : pieces) {
    auto left = piece.bytes;
    do {
      const auto bytes = left.first(std::min(largest, left.size()));
      left = left.subspan(bytes.size());
      decoder->take(piece.from, piece.stream, bytes, piece.fin && left.empty());
    } while (!left.empty());
    if (piece.reset) decoder->reset(piece.from, piece.stream);
  }
  decoder->finish();
  return {.messages = decoder->take_messages(), .problem = decoder->problem()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto carriage = static_cast<analysis::Carriage>(data[0] % 4);
  const std::vector<Piece> pieces = pieces_of({data + 1, size - 1});
  const Decoded decoded = decode(carriage, pieces, 65536);
  const bool one_stream =
      carriage == analysis::Carriage::kDot || carriage == analysis::Carriage::kDoh2;
  std::map<std::pair<End, std::uint64_t>, std::uint64_t> sent;
  for (const Piece& piece : pieces) {
    sent[{piece.from, one_stream ? 0 : piece.stream}] += piece.bytes.size();
  }
  for (const auto& message : decoded.messages) {
    std::uint64_t last = 0;
    for (const auto& range : message.ranges) {
      LABRUN_ASSERT(range.first >= last && range.first < range.end);
      last = range.end;
    }
    LABRUN_ASSERT((last <= sent[{message.from, one_stream ? 0 : message.stream}]));
    if (message.message) analysis::dns_padding(*message.message);
  }
  // Once header compression has failed, what can still be read hangs on what was read before.
  const Decoded again = decode(carriage, pieces, 1);
  const bool all_read = decoded.problem.empty() && again.problem.empty();
  LABRUN_ASSERT(!all_read || again == decoded);
  return 0;
}
