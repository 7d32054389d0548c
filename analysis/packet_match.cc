#include "analysis/packet_match.hh"

#include "base/file_descriptor.hh"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

namespace analysis {
namespace {

using base::Nanoseconds;

// Packets with the same bytes.
struct Twins {
  std::vector<std::size_t> sent;
  std::vector<std::size_t> arrived;
};

// True where exactly one bit differs.
bool differ_in_one_bit(std::span<const std::uint8_t> left, std::span<const std::uint8_t> right) {
  if (left.size() != right.size()) return false;
  int bits = 0;
  for (std::size_t index = 0; index < left.size() && bits <= 1; ++index)
    bits += std::popcount(static_cast<unsigned>(left[index] ^ right[index]));
  return bits == 1;
}

class Matcher {
 public:
  Matcher(std::span<const Observation> sent, std::span<const Observation> arrived)
      : sent_(sent), arrived_(arrived) {
    result_.sent.resize(sent.size());
  }

  MatchResult run() {
    group_by_bytes();
    find_shortest_delay();
    for (const Twins& twins : groups_)
      for (const std::size_t arrival : twins.arrived)
        if (!assign(arrival, twins.sent)) result_.never_sent.push_back(arrival);
    for (const std::size_t arrival : strangers_) assign_corrupted(arrival);
    std::ranges::sort(result_.never_sent);
    return std::move(result_);
  }

 private:
  void group_by_bytes() {
    // The map is only looked up, never walked: its order is nobody's business.
    std::unordered_map<std::string_view, std::size_t> known;
    for (std::size_t index = 0; index < sent_.size(); ++index) {
      const auto [group, added] = known.emplace(base::as_text(sent_[index].bytes), groups_.size());
      if (added) groups_.emplace_back();
      groups_[group->second].sent.push_back(index);
    }
    for (std::size_t index = 0; index < arrived_.size(); ++index) {
      const auto group = known.find(base::as_text(arrived_[index].bytes));
      if (group == known.end()) {
        strangers_.push_back(index);
      } else {
        groups_[group->second].arrived.push_back(index);
      }
    }
  }

  Nanoseconds delay_between(std::size_t sent, std::size_t arrival) const {
    return Nanoseconds(arrived_[arrival].timestamp_ns - sent_[sent].timestamp_ns);
  }

  void find_shortest_delay() {
    for (const Twins& twins : groups_) {
      if (twins.sent.size() != 1 || twins.arrived.empty()) continue;
      const Nanoseconds delay = delay_between(twins.sent.front(), twins.arrived.front());
      if (!shortest_delay_ || delay < *shortest_delay_) shortest_delay_ = delay;
    }
  }

  // Of the candidates sent before this arrival, the one whose delay fits best; those that have not
  // arrived yet come first.
  std::optional<std::size_t> best_of(std::size_t arrival,
                                     std::span<const std::size_t> candidates) const {
    const Nanoseconds usual = shortest_delay_.value_or(Nanoseconds::max() / 2);
    std::optional<std::size_t> best;
    for (const std::size_t candidate : candidates) {
      if (delay_between(candidate, arrival) < Nanoseconds::zero()) continue;
      const auto rank = [&](std::size_t sent) {
        return std::pair(result_.sent[sent].arrived(),
                         std::chrono::abs(delay_between(sent, arrival) - usual));
      };
      if (!best || rank(candidate) < rank(*best)) best = candidate;
    }
    return best;
  }

  bool assign(std::size_t arrival, std::span<const std::size_t> candidates) {
    const auto best = best_of(arrival, candidates);
    if (!best) return false;
    Fate& fate = result_.sent[*best];
    if (fate.arrived()) {
      ++fate.extra_copies;
    } else {
      fate.delay = delay_between(*best, arrival);
      fate.arrival = arrival;
    }
    return true;
  }

  void assign_corrupted(std::size_t arrival) {
    std::vector<std::size_t> candidates;
    for (std::size_t index = 0; index < sent_.size(); ++index)
      if (differ_in_one_bit(sent_[index].bytes, arrived_[arrival].bytes))
        candidates.push_back(index);
    const auto best = best_of(arrival, candidates);
    if (best) result_.sent[*best].corrupted = true;
    if (!assign(arrival, candidates)) result_.never_sent.push_back(arrival);
  }

  std::span<const Observation> sent_;
  std::span<const Observation> arrived_;
  std::vector<Twins> groups_;
  std::vector<std::size_t> strangers_;
  std::optional<Nanoseconds> shortest_delay_;
  MatchResult result_;
};

}  // namespace

MatchResult match_packets(std::span<const Observation> sent, std::span<const Observation> arrived) {
  return Matcher(sent, arrived).run();
}

}  // namespace analysis
