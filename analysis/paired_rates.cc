#include "analysis/paired_rates.hh"

#include "analysis/binomial.hh"

#include <algorithm>
#include <cmath>

namespace analysis {
namespace {

// The pairs' correlation (phi), with Newcombe's correction where it is positive; 0 where one of the
// margins is empty, for then nothing correlates.
double corrected_correlation(const PairCounts& counts) {
  const auto both = static_cast<double>(counts.both);
  const auto only_a = static_cast<double>(counts.only_a);
  const auto only_b = static_cast<double>(counts.only_b);
  const auto neither = static_cast<double>(counts.neither);
  const double margins =
      (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither);
  if (margins == 0) return 0;
  double agreement = both * neither - only_a * only_b;
  if (agreement > 0) agreement = std::max(0.0, agreement - static_cast<double>(counts.total()) / 2);
  return agreement / std::sqrt(margins);
}

// Length of the side of a triangle: two distances joined under the correlation.
double joined(double a, double b, double correlation) {
  return std::sqrt(std::max(0.0, a * a - 2 * correlation * a * b + b * b));
}

}  // namespace

double mcnemar_exact(const PairCounts& counts) {
  const std::uint64_t fewer = std::min(counts.only_a, counts.only_b);
  const std::uint64_t differing = counts.only_a + counts.only_b;
  return std::min(1.0, 2 * binomial_cdf(static_cast<std::int64_t>(fewer), differing, 0.5));
}

RateDifference rate_difference(const PairCounts& counts, double confidence) {
  const std::uint64_t n = counts.total();
  if (n == 0) return {};
  const auto total = static_cast<double>(n);
  const std::uint64_t of_a = counts.both + counts.only_a;
  const std::uint64_t of_b = counts.both + counts.only_b;
  const double rate_a = static_cast<double>(of_a) / total;
  const double rate_b = static_cast<double>(of_b) / total;
  const ProbabilityInterval a = wilson_interval(of_a, n, confidence);
  const ProbabilityInterval b = wilson_interval(of_b, n, confidence);
  const double correlation = corrected_correlation(counts);
  const double difference = rate_a - rate_b;
  return {.difference = difference,
          .lower = difference - joined(rate_a - a.lower, b.upper - rate_b, correlation),
          .upper = difference + joined(a.upper - rate_a, rate_b - b.lower, correlation)};
}

}  // namespace analysis
