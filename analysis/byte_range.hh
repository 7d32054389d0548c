#pragma once

// Where in a byte stream something lies, so that it can be led back to the packets that carried it.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace analysis {

// Bytes [first, end), counted from the stream's first.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  bool operator==(const ByteRange&) const = default;
};

inline constexpr std::size_t kMaxRanges = 1024;

// Adds a range that begins at or behind the end of the last one; neighbours become one. Beyond
// kMaxRanges the last range is stretched over the gap, so that a hostile peer's thousands of empty
// frames cost no memory.
inline void add_range(std::vector<ByteRange>& ranges, ByteRange range) {
  const bool joined =
      !ranges.empty() && (ranges.back().end == range.first || ranges.size() == kMaxRanges);
  if (joined) {
    ranges.back().end = range.end;
  } else {
    ranges.push_back(range);
  }
}

}  // namespace analysis
