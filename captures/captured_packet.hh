#pragma once

// One frame as a capture saw it: an Ethernet frame where labrun captured.

#include <cstdint>
#include <vector>

namespace captures {

enum class Direction : std::uint8_t { kUnknown = 0, kInbound = 1, kOutbound = 2 };

// What the kernel says of a capture. A `dropped` or `truncated` other than zero makes the capture
// useless as evidence.
struct CaptureCounters {
  std::uint64_t received = 0;   // frames that were handed to us
  std::uint64_t dropped = 0;    // frames that found the ring full
  std::uint64_t truncated = 0;  // frames longer than the snap length
  bool operator==(const CaptureCounters&) const = default;
};

struct CapturedPacket {
  std::int64_t timestamp_ns = 0;  // wall clock, since 1970
  Direction direction = Direction::kUnknown;
  std::uint32_t original_length = 0;  // as on the wire; more than bytes.size() where truncated
  std::vector<std::uint8_t> bytes;    // from the link header on
  bool operator==(const CapturedPacket&) const = default;
};

}  // namespace captures
