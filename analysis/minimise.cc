#include "analysis/minimise.hh"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace analysis {
namespace {

class Search {
 public:
  Search(const std::function<bool(const LossPattern&)>& fails, std::size_t max_trials)
      : fails_(fails), max_trials_(max_trials) {}

  // A pattern that cannot be tried any more counts as one that does not fail, which it may not be:
  // is_exhausted() tells.
  bool fails(const LossPattern& pattern) {
    if (const auto known = tried_.find(pattern); known != tried_.end()) return known->second;
    if (tried_.size() == max_trials_) {
      exhausted_ = true;
      return false;
    }
    return tried_.emplace(pattern, fails_(pattern)).first->second;
  }
  bool is_exhausted() const { return exhausted_; }
  std::size_t trials() const { return tried_.size(); }

 private:
  const std::function<bool(const LossPattern&)>& fails_;
  std::size_t max_trials_;
  std::map<LossPattern, bool> tried_;
  bool exhausted_ = false;
};

// As equal as possible, in order.
std::vector<LossPattern> split(const LossPattern& pattern, std::size_t parts) {
  std::vector<LossPattern> chunks;
  chunks.reserve(parts);
  for (std::size_t part = 0; part < parts; ++part)
    chunks.emplace_back(
        pattern.begin() + static_cast<std::ptrdiff_t>(pattern.size() * part / parts),
        pattern.begin() + static_cast<std::ptrdiff_t>(pattern.size() * (part + 1) / parts));
  return chunks;
}

LossPattern without(const LossPattern& pattern, const LossPattern& chunk) {
  LossPattern rest;
  std::ranges::set_difference(pattern, chunk, std::back_inserter(rest));
  return rest;
}

// One step of ddmin: a chunk that fails by itself, or all but a chunk. `parts` becomes the number
// of chunks to go on with.
std::optional<LossPattern> reduced(const LossPattern& pattern, std::size_t& parts, Search& search) {
  const auto chunks = split(pattern, parts);
  for (const LossPattern& chunk : chunks) {
    if (!search.fails(chunk)) continue;
    parts = 2;
    return chunk;
  }
  for (const LossPattern& chunk : chunks) {
    LossPattern rest = without(pattern, chunk);
    if (!search.fails(rest)) continue;
    parts = std::max<std::size_t>(parts - 1, 2);
    return rest;
  }
  return std::nullopt;
}

LossPattern delta_debugged(LossPattern pattern, Search& search) {
  std::size_t parts = 2;
  while (pattern.size() >= 2) {
    parts = std::min(parts, pattern.size());
    if (auto smaller = reduced(pattern, parts, search)) {
      pattern = *std::move(smaller);
    } else if (parts < pattern.size()) {
      parts *= 2;
    } else {
      break;
    }
  }
  return pattern;
}

// ddmin leaves a last drop untested, and chunks of a failing pattern may fail together only.
LossPattern without_spare_drops(LossPattern pattern, Search& search) {
  for (std::size_t i = 0; i < pattern.size();) {
    LossPattern rest = without(pattern, {pattern[i]});
    if (search.fails(rest)) {
      pattern = std::move(rest);
      i = 0;
    } else {
      ++i;
    }
  }
  return pattern;
}

std::optional<LossPattern> failing_single(const LossPattern& original, Search& search) {
  for (const PacketName name : original)
    if (search.fails({name})) return LossPattern{name};
  return std::nullopt;
}

std::optional<LossPattern> failing_pair(const LossPattern& original, Search& search) {
  for (std::size_t i = 0; i < original.size(); ++i)
    for (std::size_t j = i + 1; j < original.size(); ++j)
      if (search.fails({original[i], original[j]})) return LossPattern{original[i], original[j]};
  return std::nullopt;
}

// All patterns of up to this many drops are tried.
constexpr std::size_t kLargestTried = 2;

LossPattern smallest_of(const LossPattern& original, LossPattern found, Search& search) {
  if (!found.empty() && search.fails({})) return {};
  if (found.size() > 1)
    if (auto single = failing_single(original, search)) return *std::move(single);
  if (found.size() > kLargestTried)
    if (auto pair = failing_pair(original, search)) return *std::move(pair);
  return found;
}

bool is_one_minimal(const LossPattern& pattern, Search& search) {
  return std::ranges::none_of(
      pattern, [&](PacketName name) { return search.fails(without(pattern, {name})); });
}

}  // namespace

std::optional<Minimised> minimise(const LossPattern& original,
                                  const std::function<bool(const LossPattern&)>& fails,
                                  std::size_t max_trials) {
  Search search(fails, max_trials);
  if (!search.fails(original)) return std::nullopt;
  LossPattern pattern = without_spare_drops(delta_debugged(original, search), search);
  const bool minimal_before = !search.is_exhausted();
  const LossPattern small = smallest_of(original, pattern, search);
  const bool all_smaller_tried = !search.is_exhausted();
  const bool one_minimal =
      small == pattern ? minimal_before : is_one_minimal(small, search) && !search.is_exhausted();
  return Minimised{.pattern = small,
                   .trials = search.trials(),
                   .one_minimal = one_minimal,
                   .smallest = all_smaller_tried && small.size() <= kLargestTried + 1};
}

}  // namespace analysis
