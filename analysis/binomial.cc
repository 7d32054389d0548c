#include "analysis/binomial.hh"

#include "base/errors.hh"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace analysis {
namespace {

// Bisection halves an interval of at most a few units; 200 halvings are beyond a double's
// resolution.
constexpr int kHalvings = 200;

double log_probability(std::uint64_t k, std::uint64_t n, double p) {
  const auto count = static_cast<double>(k);
  const auto trials = static_cast<double>(n);
  return std::lgamma(trials + 1) - std::lgamma(count + 1) - std::lgamma(trials - count + 1) +
         count * std::log(p) + (trials - count) * std::log1p(-p);
}

// P(X <= k), summed from k downwards: the terms fall on this side of the mean, so the sum soon
// stops changing.
double lower_tail(std::uint64_t k, std::uint64_t n, double p) {
  double term = std::exp(log_probability(k, n, p));
  double sum = term;
  const double odds = (1 - p) / p;
  for (std::uint64_t i = k; i > 0; --i) {
    term *= static_cast<double>(i) / static_cast<double>(n - i + 1) * odds;
    if (sum + term == sum) break;
    sum += term;
  }
  return std::min(sum, 1.0);
}

// Largest value in [low, high] for which `holds`, where it holds at `low` and stops holding once.
template <typename Predicate>
double last_where(double low, double high, Predicate holds) {
  for (int step = 0; step < kHalvings; ++step) {
    const double middle = (low + high) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

double binomial_cdf(std::int64_t k, std::uint64_t n, double p) {
  LABRUN_ASSERT(p >= 0 && p <= 1);
  if (k < 0) return 0;
  const auto count = static_cast<std::uint64_t>(k);
  if (count >= n || p == 0) return 1;
  if (p == 1) return 0;
  if (static_cast<double>(count) <= static_cast<double>(n) * p) return lower_tail(count, n, p);
  // Above the mean the other tail is the one that falls.
  return 1 - lower_tail(n - count - 1, n, 1 - p);
}

ProbabilityInterval wilson_interval(std::uint64_t k, std::uint64_t n, double confidence) {
  LABRUN_ASSERT(k <= n);
  if (n == 0) return {};
  const double z = normal_quantile((1 + confidence) / 2);
  const auto trials = static_cast<double>(n);
  const double share = static_cast<double>(k) / trials;
  const double scale = 1 + z * z / trials;
  const double centre = (share + z * z / (2 * trials)) / scale;
  const double half =
      z * std::sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / scale;
  // At the ends the interval reaches the end exactly; rounding would leave 1e-18.
  return {.lower = k == 0 ? 0 : std::max(0.0, centre - half),
          .upper = k == n ? 1 : std::min(1.0, centre + half)};
}

ProbabilityInterval exact_interval(std::uint64_t k, std::uint64_t n, double confidence) {
  LABRUN_ASSERT(k <= n);
  const double tail = (1 - confidence) / 2;
  const auto count = static_cast<std::int64_t>(k);
  ProbabilityInterval interval;
  if (k > 0)
    interval.lower =
        last_where(0, 1, [&](double p) { return 1 - binomial_cdf(count - 1, n, p) <= tail; });
  if (k < n)
    interval.upper = last_where(0, 1, [&](double p) { return binomial_cdf(count, n, p) >= tail; });
  return interval;
}

AcceptanceRegion acceptance_region(std::uint64_t n, base::Probability p, double confidence) {
  const double tail = (1 - confidence) / 2;
  // The smallest count with P(X <= count) above the lower tail, and the smallest with P(X <= count)
  // up to the upper one.
  const auto first_with = [&](auto reached) {
    std::uint64_t low = 0;
    std::uint64_t high = n;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (reached(binomial_cdf(static_cast<std::int64_t>(middle), n, p.value()))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  };
  return {.lowest = first_with([&](double cdf) { return cdf > tail; }),
          .highest = first_with([&](double cdf) { return cdf >= 1 - tail; })};
}

double normal_quantile(double p) {
  LABRUN_ASSERT(p > 0 && p < 1);
  constexpr double kFarOut =
      40;  // standard deviations; beyond it the distribution rounds to 0 and 1
  return last_where(-kFarOut, kFarOut,
                    [&](double x) { return std::erfc(-x / std::numbers::sqrt2) / 2 <= p; });
}

}  // namespace analysis
