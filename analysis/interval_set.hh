#pragma once

// Which parts of a numbered range have been seen.

#include <cstddef>
#include <cstdint>
#include <map>

namespace analysis {

class IntervalSet {
 public:
  // Adds [begin, end) and says how many of its numbers are new.
  std::uint64_t add(std::uint64_t begin, std::uint64_t end);
  // Where the interval that holds `number` ends; `number` itself where none does.
  std::uint64_t end_of(std::uint64_t number) const;
  std::uint64_t count() const { return count_; }

  // Beyond this many separate intervals everything counts as new and is not kept: hostile input
  // only.
  static constexpr std::size_t kMaxIntervals = 100'000;

 private:
  std::map<std::uint64_t, std::uint64_t> intervals_;  // begin to end; apart from each other
  std::uint64_t count_ = 0;
};

}  // namespace analysis
