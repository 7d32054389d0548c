#pragma once

// How far the difference of two percentiles could lie from what was seen, by drawing whole blocks
// anew.

#include "analysis/query_pair.hh"
#include "base/rng.hh"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace analysis {

struct PercentileDifference {
  double p = 0.5;
  Difference value;             // of the nearest ranks
  std::optional<double> lower;  // 95 % together with `upper`; nanoseconds, infinite where the
  std::optional<double> upper;  // draws bound nothing on that side
  std::string reason;           // why there is no value, or no interval
};

// Resampled lists of pairs that one interval is made of, and the fewest blocks that it makes sense
// with: 6 blocks can be drawn in 462 ways, 5 in 126 only.
inline constexpr std::size_t kBootstrapDraws = 2000;
inline constexpr std::size_t kBootstrapBlocks = 6;

// The differences of percentiles `ps` with intervals from a block bootstrap: Efron and Tibshirani
// (1993), An Introduction to the Bootstrap, chapter 13 (percentile interval) and section 8.6
// (drawing the units that are independent). Each of kBootstrapDraws draws takes as many blocks as
// there are, with replacement, each with all its pairs, so that what pairs and what queries of a
// block have in common stays together; the bounds are the 50th smallest and the 50th largest of the
// draws' differences. A draw whose difference is unknown counts as the smallest for the lower bound
// and as the largest for the upper one. With few blocks such an interval is too narrow rather than
// too wide, and at p99 of few samples it is coarse. `rng` decides the draws: the same generator
// gives the same intervals.
std::vector<PercentileDifference> percentile_differences(std::span<const QueryPair> pairs,
                                                         std::span<const double> ps, base::Rng rng);

}  // namespace analysis
