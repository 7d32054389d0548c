#pragma once

// Percentiles of times of which some are only known to be longer than the timeout (censored
// samples), with confidence intervals that assume nothing about the distribution.

#include "base/clock.hh"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace analysis {

// Each bound of a percentile's interval holds with this confidence by itself, so that both together
// hold with 90 %.
inline constexpr double kBoundConfidence = 0.95;
inline constexpr double kIntervalConfidence = 0.90;

// Smallest number of samples whose maximum bounds the percentile from above: p^n <= 1 -
// kBoundConfidence. 5 for p50, 29 for p90, 59 for p95, 299 for p99. With fewer the sample maximum
// is passed off as the percentile.
std::uint64_t samples_needed(double p);
// "298 samples support no p99: it takes 299".
std::string too_few_samples(std::uint64_t n, double p);

// The rank, from 1, of the smallest of n samples that at least a share p of them does not exceed.
// `n` > 0.
std::uint64_t nearest_rank(std::uint64_t n, double p);

// Ranks, from 1, of the order statistics between which a percentile of n samples lies, each bound
// with a chance of at most `tail` to miss it. Distribution-free: the number of samples below the
// percentile is binomial (David and Nagaraja, Order Statistics, section 7.1).
struct BoundRanks {
  std::uint64_t lower = 0;  // 0: no sample is low enough
  std::uint64_t upper = 0;  // n + 1: none is high enough
  bool operator==(const BoundRanks&) const = default;
};
BoundRanks bound_ranks(std::uint64_t n, double p, double tail = 1 - kBoundConfidence);

struct Percentile {
  std::optional<base::Nanoseconds> value;  // empty with a reason
  std::optional<base::Nanoseconds>
      lower;  // empty where the bound is no sample (no order statistic is low enough)
  std::optional<base::Nanoseconds> upper;  // empty where the bound lies beyond the timeout
  bool censored = false;                   // the percentile itself lies beyond the timeout
  std::string reason;                      // why there is no value
  bool operator==(const Percentile&) const = default;
};

// Order statistics of all samples; an empty sample is censored and counts as longer than every
// other.
class OrderStatistics {
 public:
  // `timeout` is what censored samples exceed; reasons name it.
  OrderStatistics(std::span<const std::optional<base::Nanoseconds>> samples,
                  base::Nanoseconds timeout);

  std::size_t size() const { return size_; }
  std::size_t censored() const { return size_ - times_.size(); }
  // Nearest rank: the smallest sample that at least a share p of the samples does not exceed. `p`
  // in (0, 1).
  Percentile percentile(double p) const;
  // Empty where there is no sample or, for the maximum, one is censored.
  std::optional<base::Nanoseconds> min() const;
  std::optional<base::Nanoseconds> max() const;

 private:
  std::optional<base::Nanoseconds> at_rank(std::uint64_t rank) const;

  std::vector<base::Nanoseconds> times_;  // ascending, without the censored ones
  std::size_t size_ = 0;
  base::Nanoseconds timeout_;
};

}  // namespace analysis
