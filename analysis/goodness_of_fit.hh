#pragma once

// Whether sampled times agree with an exact distribution: two independent ways to the same figures,
// of which one has a bug if they differ.
//
// Tested is that the samples are independent draws from that distribution, in two parts.
// - Pearson's chi-square over the times that the walk knows. The unvisited probability may lie at
//   any of them, or elsewhere; it is put where it makes chi-square smallest. So `p_value` is at
//   least what the true one is, and a bin's expected count is what chi-square was computed with.
// - How many samples lie at no time that the walk knows: not more than the unvisited probability
//   accounts for (binomial, one-sided).
// A p-value below 0.001 of either means that a correct lab and a correct walk would differ that
// much less than once in a thousand comparisons: they are not of the same lab, or one is wrong. A
// large p-value proves nothing where few samples fall into few bins.

#include "analysis/exact_distribution.hh"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace analysis {

// Exact times closer than this are one bin, and a sample belongs to one within half of it: far more
// than runs of one pattern differ by, far less than a timer or a round trip.
inline constexpr base::Nanoseconds kAtomSpacing = std::chrono::milliseconds(1);
// Below it the chi-square distribution is a poor approximation, and bins are pooled.
inline constexpr double kLeastExpected = 5;
// Where the p-values of both parts stay above it, the samples agree.
inline constexpr double kLeastPValue = 0.001;

struct FitBin {
  std::optional<base::Nanoseconds> low;   // of its exact times; empty: never answered
  std::optional<base::Nanoseconds> high;  // empty: never answered is part of it
  bool visited = true;                    // false: samples at no time that the walk knows
  double expected = 0;
  std::uint64_t observed = 0;
  bool operator==(const FitBin&) const = default;
};

struct GoodnessOfFit {
  std::vector<FitBin> bins;  // ascending; the one that was not visited, if expected at all, last
  double chi_square = 0;
  std::uint64_t degrees = 0;  // bins - 1; with none, there is nothing to test
  double p_value = 1;
  // Samples at no time that the walk knows, and the chance of that many or more.
  std::uint64_t unvisited_observed = 0;
  double unvisited_p_value = 1;
  bool agrees() const { return p_value >= kLeastPValue && unvisited_p_value >= kLeastPValue; }
};

// An empty sample was never answered.
GoodnessOfFit goodness_of_fit(const ExactDistribution& exact,
                              std::span<const std::optional<base::Nanoseconds>> samples);

}  // namespace analysis
