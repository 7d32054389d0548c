#pragma once

// What two peers said to each other over a carriage, for tests to decode.

#include "analysis/dns_carriage.hh"
#include "transport/bytes.hh"

#include <cstdint>
#include <string>
#include <vector>

namespace analysis {

struct Piece {
  End from = End::kClient;
  std::uint64_t stream = 0;
  transport::Bytes bytes;
  bool fin = false;
};
using Conversation = std::vector<Piece>;

struct Decoded {
  std::vector<CarriedMessage> messages;
  std::string problem;
};

// Decodes the pieces as they are, and once more cut into single bytes, which must come to the same.
Decoded decode(Carriage carriage, const Conversation& conversation);

// The bytes that a message was found in.
transport::Bytes carried_bytes(const Conversation& conversation, const CarriedMessage& message);

// Wire forms, with padding.
transport::Bytes query_wire(std::uint16_t id = 0);
transport::Bytes answer_wire(std::uint16_t id = 0);

// Everything of `from` in one piece, then everything of the other end.
Conversation one_after_the_other(const Conversation& conversation, End from);

}  // namespace analysis
