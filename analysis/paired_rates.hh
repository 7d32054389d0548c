#pragma once

// Two outcomes of the same pairs, each yes or no: how often do A and B differ?

#include <cstdint>

namespace analysis {

// A pair of queries by which of them stayed without an answer.
struct PairCounts {
  std::uint64_t both = 0;
  std::uint64_t only_a = 0;
  std::uint64_t only_b = 0;
  std::uint64_t neither = 0;

  std::uint64_t total() const { return both + only_a + only_b + neither; }
  bool operator==(const PairCounts&) const = default;
};

// McNemar's test in its exact form, two-sided (McNemar 1947; Fagerland, Lydersen and Laake 2013,
// BMC Medical Research Methodology 13:91, "exact conditional test"). Where A and B are alike, a
// pair in which they differ is one of A as often as one of B, so the smaller of the two counts is
// binomial with 1/2; twice its tail, at most 1. Without such a pair it is 1.
double mcnemar_exact(const PairCounts& counts);

struct RateDifference {
  double difference = 0;  // rate of A minus rate of B, in [-1, 1]
  double lower = -1;
  double upper = 1;
};

// Interval of the difference of two paired rates: Newcombe (1998), "Improved confidence intervals
// for the difference between binomial proportions based on paired data", Statistics in Medicine 17,
// 2635-2650, method 10: Wilson intervals of both rates, joined by the pairs' correlation with its
// continuity correction. Two-sided. No pairs give [-1, 1].
RateDifference rate_difference(const PairCounts& counts, double confidence = 0.95);

}  // namespace analysis
