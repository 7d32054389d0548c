#pragma once

// The binomial distribution, exact: what a share of n trials says about the probability behind it,
// and back.

#include "base/units.hh"

#include <cstdint>

namespace analysis {

// P(X <= k) for X ~ Binomial(n, p). k may be negative or beyond n.
double binomial_cdf(std::int64_t k, std::uint64_t n, double p);

struct ProbabilityInterval {
  double lower = 0;
  double upper = 1;
};

// Wilson's score interval for a share of k in n (Wilson 1927); n = 0 gives [0, 1]. `confidence` is
// two-sided.
ProbabilityInterval wilson_interval(std::uint64_t k, std::uint64_t n, double confidence = 0.95);

// Clopper and Pearson's exact interval (1934), never narrower than its confidence.
ProbabilityInterval exact_interval(std::uint64_t k, std::uint64_t n, double confidence = 0.95);

// The counts that n trials of probability p give with at least `confidence`: neither tail beyond
// has more than half of the rest.
struct AcceptanceRegion {
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  bool contains(std::uint64_t k) const { return k >= lowest && k <= highest; }
};
AcceptanceRegion acceptance_region(std::uint64_t n, base::Probability p, double confidence = 0.999);

// The standard normal distribution's quantile, to 1e-9: 1.959964 for 0.975. `p` in (0, 1).
double normal_quantile(double p);

}  // namespace analysis
