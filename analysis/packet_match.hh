#pragma once

// One direction of the path: which of the packets that one end sent did the other end see?

#include "base/clock.hh"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace analysis {

// A packet at one end. Both ends read the same clock; the bridge leaves packets byte-identical.
struct Observation {
  std::int64_t timestamp_ns = 0;
  std::span<const std::uint8_t>
      bytes;  // the IP packet, or whatever stands behind the Ethernet header
};

// What became of a packet that was sent.
struct Fate {
  std::optional<base::Nanoseconds>
      delay;                           // of the first copy that arrived; empty where none did: lost
  std::optional<std::size_t> arrival;  // which of the arrivals that copy is
  std::uint64_t extra_copies = 0;      // duplicates made on the way
  bool corrupted = false;  // a copy arrived with one bit flipped, which is how netem corrupts
  bool arrived() const { return delay.has_value(); }
};

struct MatchResult {
  std::vector<Fate> sent;               // parallel to what was sent
  std::vector<std::size_t> never_sent;  // indices of arrivals that nobody sent
};

// Both lists are in capture order. Packets that were sent repeatedly with the same bytes (TCP
// acknowledgements can be) are told apart by their delay: an arrival belongs to the copy that makes
// its delay the most like the direction's shortest one.
MatchResult match_packets(std::span<const Observation> sent, std::span<const Observation> arrived);

}  // namespace analysis
