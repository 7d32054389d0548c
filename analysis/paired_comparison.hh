#pragma once

// A against B, pair by pair: which of two cells is slower or fails more often, by how much, and how
// sure is that?

#include "analysis/block_bootstrap.hh"
#include "analysis/paired_rates.hh"
#include "analysis/query_pair.hh"
#include "base/clock.hh"
#include "base/rng.hh"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace analysis {

// Pairs whose difference is unknown (both without an answer) are counted in: each may lie anywhere,
// so the median is given only where it does not depend on them, and each bound is the one that
// holds wherever they lie.
struct MedianDifference {
  Difference value;  // mean of the two middle ones where the number of pairs is even
  // 95 %, from order statistics of the differences, which assumes nothing about their distribution
  // but that pairs are independent (Conover, Practical Nonparametric Statistics, section 3.2;
  // Campbell and Gardner 1988, BMJ 296:1454). Nanoseconds, infinite where it bounds nothing; empty
  // for fewer than 6 pairs.
  std::optional<double> lower;
  std::optional<double> upper;
};

MedianDifference median_difference(std::span<const QueryPair> pairs);

// Medians of a block that lie no further apart are alike: half of the 0.1 ms that tables show. In
// virtual time each reading of the clock takes some nanoseconds, so that an end that reads it once
// more would be "slower" in every block.
inline constexpr base::Nanoseconds kAlike = std::chrono::microseconds(50);

struct PairedComparison {
  std::uint64_t pairs = 0;
  MedianDifference median;  // of the pairs' differences, A minus B
  PairCounts unanswered;
  double unanswered_p = 1;  // mcnemar_exact(unanswered)
  RateDifference unanswered_rates;
  std::vector<PercentileDifference> percentiles;  // p50, p90, p95, p99: of A minus those of B
  // Blocks by whose median (nearest rank) is larger by more than kAlike; where neither is, or both
  // lie beyond the timeout, the block is counted on neither side.
  std::uint64_t blocks = 0;
  std::uint64_t blocks_a_slower = 0;
  std::uint64_t blocks_b_slower = 0;
};

// `pairs` in any order. `rng` decides the bootstrap's draws (block_bootstrap.hh): a generator
// forked from the run's seed makes the comparison repeatable.
PairedComparison compare_pairs(std::span<const QueryPair> pairs, base::Rng rng);

}  // namespace analysis
