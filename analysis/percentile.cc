#include "analysis/percentile.hh"

#include "analysis/binomial.hh"
#include "base/errors.hh"
#include "base/units.hh"

#include <algorithm>
#include <cmath>
#include <format>
#include <ranges>

namespace analysis {

std::uint64_t samples_needed(double p) {
  LABRUN_ASSERT(p > 0 && p < 1);
  return static_cast<std::uint64_t>(std::ceil(std::log(1 - kBoundConfidence) / std::log(p)));
}

std::string too_few_samples(std::uint64_t n, double p) {
  return std::format("{} samples support no p{:g}: it takes {}", n, p * 100, samples_needed(p));
}

// Binary fractions: 0.07 * 100 is 7.000000000000001, which must not become rank 8.
std::uint64_t nearest_rank(std::uint64_t n, double p) {
  LABRUN_ASSERT(n > 0);
  constexpr double kRounding = 1e-9;
  const double rank = std::ceil(static_cast<double>(n) * p - kRounding);
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank), 1, n);
}

// The k-th smallest lies at or below the percentile with P(X >= k), and at or above it with
// P(X <= k - 1).
BoundRanks bound_ranks(std::uint64_t n, double p, double tail) {
  const auto below = [&](std::uint64_t rank) {
    return binomial_cdf(static_cast<std::int64_t>(rank) - 1, n, p);
  };
  // `below` grows with the rank: both bounds are found by bisection.
  const auto ranks = std::views::iota(std::uint64_t{1}, n + 1);
  const auto lower =
      std::ranges::partition_point(ranks, [&](std::uint64_t rank) { return below(rank) <= tail; });
  const auto upper = std::ranges::partition_point(
      ranks, [&](std::uint64_t rank) { return below(rank) < 1 - tail; });
  return {.lower = static_cast<std::uint64_t>(lower - ranks.begin()),
          .upper = static_cast<std::uint64_t>(upper - ranks.begin()) + 1};
}

OrderStatistics::OrderStatistics(std::span<const std::optional<base::Nanoseconds>> samples,
                                 base::Nanoseconds timeout)
    : size_(samples.size()), timeout_(timeout) {
  for (const auto& sample : samples)
    if (sample) times_.push_back(*sample);
  std::ranges::sort(times_);
}

std::optional<base::Nanoseconds> OrderStatistics::at_rank(std::uint64_t rank) const {
  if (rank == 0 || rank > times_.size()) return std::nullopt;
  return times_[rank - 1];
}

Percentile OrderStatistics::percentile(double p) const {
  Percentile result;
  if (size_ < samples_needed(p)) {
    result.reason = too_few_samples(size_, p);
    return result;
  }
  const BoundRanks ranks = bound_ranks(size_, p);
  result.value = at_rank(nearest_rank(size_, p));
  result.lower = at_rank(ranks.lower);
  result.upper = at_rank(ranks.upper);
  if (!result.value) {
    result.censored = true;
    result.reason = std::format("beyond the timeout of {}: {} of {} samples got no answer",
                                base::to_string(timeout_), censored(), size_);
  }
  return result;
}

std::optional<base::Nanoseconds> OrderStatistics::min() const {
  return at_rank(1);
}

std::optional<base::Nanoseconds> OrderStatistics::max() const {
  return at_rank(size_);
}

}  // namespace analysis
