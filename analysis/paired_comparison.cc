#include "analysis/paired_comparison.hh"

#include "analysis/percentile.hh"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace analysis {
namespace {

// Half of what a two-sided interval of 95 % leaves out.
constexpr double kTail = 0.025;

std::vector<double> sorted_differences(std::span<const QueryPair> pairs, double unknown) {
  std::vector<double> values;
  for (const QueryPair& pair : pairs)
    values.push_back(difference(pair.a, pair.b).value_or(unknown));
  std::ranges::sort(values);
  return values;
}

// NaN between minus and plus infinity.
double middle(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[half];
  return (sorted[half - 1] + sorted[half]) / 2;
}

PairCounts count_unanswered(std::span<const QueryPair> pairs) {
  PairCounts counts;
  for (const QueryPair& pair : pairs) {
    if (pair.a) {
      ++(pair.b ? counts.neither : counts.only_b);
    } else {
      ++(pair.b ? counts.only_a : counts.both);
    }
  }
  return counts;
}

using Times = std::vector<std::optional<base::Nanoseconds>>;

std::optional<base::Nanoseconds> median(Times times) {
  std::ranges::sort(times, [](const auto& left, const auto& right) {
    if (!left || !right) return left.has_value() && !right.has_value();
    return *left < *right;
  });
  return times[nearest_rank(times.size(), 0.5) - 1];
}

void count_blocks(PairedComparison& comparison, std::span<const QueryPair> pairs) {
  std::map<std::uint64_t, std::array<Times, 2>> blocks;
  for (const QueryPair& pair : pairs) {
    blocks[pair.block][0].push_back(pair.a);
    blocks[pair.block][1].push_back(pair.b);
  }
  comparison.blocks = blocks.size();
  constexpr auto alike = static_cast<double>(kAlike.count());
  for (const auto& [block, times] : blocks) {
    const Difference of_medians = difference(median(times[0]), median(times[1]));
    if (of_medians && *of_medians > alike) ++comparison.blocks_a_slower;
    if (of_medians && *of_medians < -alike) ++comparison.blocks_b_slower;
  }
}

}  // namespace

MedianDifference median_difference(std::span<const QueryPair> pairs) {
  if (pairs.empty()) return {};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // What is unknown lies below everything in one and above everything in the other.
  const std::vector<double> lowest = sorted_differences(pairs, -kInfinity);
  const std::vector<double> highest = sorted_differences(pairs, kInfinity);
  MedianDifference result;
  // Never equal where either is NaN.
  if (middle(lowest) == middle(highest)) result.value = middle(lowest);
  const BoundRanks ranks = bound_ranks(pairs.size(), 0.5, kTail);
  if (ranks.lower == 0) return result;
  result.lower = lowest[ranks.lower - 1];
  result.upper = highest[ranks.upper - 1];
  return result;
}

PairedComparison compare_pairs(std::span<const QueryPair> pairs, base::Rng rng) {
  constexpr std::array kPercentiles{0.50, 0.90, 0.95, 0.99};
  PairedComparison comparison;
  comparison.pairs = pairs.size();
  comparison.median = median_difference(pairs);
  comparison.unanswered = count_unanswered(pairs);
  comparison.unanswered_p = mcnemar_exact(comparison.unanswered);
  comparison.unanswered_rates = rate_difference(comparison.unanswered);
  comparison.percentiles = percentile_differences(pairs, kPercentiles, rng);
  count_blocks(comparison, pairs);
  return comparison;
}

}  // namespace analysis
