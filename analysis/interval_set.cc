#include "analysis/interval_set.hh"

#include <algorithm>
#include <iterator>

namespace analysis {

std::uint64_t IntervalSet::add(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return 0;
  const std::uint64_t size = end - begin;
  auto next = intervals_.upper_bound(begin);
  if (next != intervals_.begin() && std::prev(next)->second >= begin) --next;
  std::uint64_t known = 0;
  std::uint64_t joined_begin = begin;
  std::uint64_t joined_end = end;
  while (next != intervals_.end() && next->first <= end) {
    const auto [other_begin, other_end] = *next;
    const std::uint64_t from = std::max(begin, other_begin);
    const std::uint64_t to = std::min(end, other_end);
    if (from < to) known += to - from;
    joined_begin = std::min(joined_begin, other_begin);
    joined_end = std::max(joined_end, other_end);
    next = intervals_.erase(next);
  }
  if (intervals_.size() < kMaxIntervals) intervals_.emplace(joined_begin, joined_end);
  count_ += size - known;
  return size - known;
}

std::uint64_t IntervalSet::end_of(std::uint64_t number) const {
  const auto next = intervals_.upper_bound(number);
  if (next == intervals_.begin()) return number;
  return std::max(number, std::prev(next)->second);
}

}  // namespace analysis
