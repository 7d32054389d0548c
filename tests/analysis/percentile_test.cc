#include "analysis/percentile.hh"

#include "base/rng.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace analysis {
namespace {

using namespace std::chrono_literals;
using Samples = std::vector<std::optional<base::Nanoseconds>>;

// 1 ms to n ms in an order that is not sorted, the last `censored` of them unknown.
Samples counting(std::size_t n, std::size_t censored = 0) {
  Samples samples;
  for (std::size_t value = n; value > 0; --value)
    samples.push_back(value > n - censored ? std::nullopt
                                           : std::optional<base::Nanoseconds>(value * 1ms));
  return samples;
}

OrderStatistics statistics(const Samples& samples) {
  return {samples, 10s};
}

TEST(SamplesNeeded, FollowsTheDesignsRule) {
  EXPECT_EQ(samples_needed(0.50), 5U);
  EXPECT_EQ(samples_needed(0.90), 29U);
  EXPECT_EQ(samples_needed(0.95), 59U);
  EXPECT_EQ(samples_needed(0.99), 299U);
}

TEST(Percentile, IsTheNearestRank) {
  const auto of_300 = statistics(counting(300));
  EXPECT_EQ(of_300.percentile(0.50).value, 150ms);
  EXPECT_EQ(of_300.percentile(0.90).value, 270ms);
  EXPECT_EQ(of_300.percentile(0.95).value, 285ms);
  EXPECT_EQ(of_300.percentile(0.99).value, 297ms);
  EXPECT_EQ(statistics(counting(301)).percentile(0.50).value, 151ms);
  EXPECT_EQ(of_300.min(), 1ms);
  EXPECT_EQ(of_300.max(), 300ms);
}

TEST(Percentile, WithTooFewSamplesHasAReasonInsteadOfAValue) {
  const Percentile p99 = statistics(counting(298)).percentile(0.99);
  EXPECT_EQ(p99.value, std::nullopt);
  EXPECT_FALSE(p99.censored);
  EXPECT_EQ(p99.reason, "298 samples support no p99: it takes 299");
  EXPECT_TRUE(statistics(counting(299)).percentile(0.99).value);
  EXPECT_EQ(statistics({}).percentile(0.5).value, std::nullopt);
}

TEST(Percentile, CountsCensoredSamplesIn) {
  const auto few = statistics(counting(300, 3));
  EXPECT_EQ(few.percentile(0.99).value, 297ms);
  EXPECT_EQ(few.max(), std::nullopt);
  const Percentile beyond = statistics(counting(300, 4)).percentile(0.99);
  EXPECT_EQ(beyond.value, std::nullopt);
  EXPECT_TRUE(beyond.censored);
  EXPECT_EQ(beyond.reason, "beyond the timeout of 10s: 4 of 300 samples got no answer");
}

TEST(Percentile, BoundBeyondTheTimeoutIsEmptyWhileTheValueIsKnown) {
  const Percentile p99 = statistics(counting(300, 1)).percentile(0.99);
  EXPECT_EQ(p99.value, 297ms);
  EXPECT_TRUE(p99.lower);
  EXPECT_EQ(p99.upper, std::nullopt);
}

// Ranks of one-sided 95 % confidence bounds for the median: Conover, Practical Nonparametric
// Statistics, table A3 (binomial): for n = 20, P(X <= 5) = 0.0207 and P(X <= 6) = 0.0577, hence the
// 6th smallest and, by symmetry, the 15th.
TEST(PercentileInterval, HasThePublishedRanksForTheMedian) {
  const Percentile p50 = statistics(counting(20)).percentile(0.50);
  EXPECT_EQ(p50.lower, 6ms);
  EXPECT_EQ(p50.upper, 15ms);
}

// Ranks by the definition, in exact rational arithmetic: the largest with P(X <= rank - 1) <= 5 %,
// the smallest with P(X <= rank - 1) >= 95 %. n + 1 stands for none.
TEST(PercentileInterval, HasTheRanksOfTheExactBinomial) {
  struct Row {
    std::uint64_t n;
    BoundRanks p50;
    BoundRanks p90;
    BoundRanks p95;
    BoundRanks p99;
  };
  for (const auto& [n, p50, p90, p95, p99] :
       {Row{10, {2, 9}, {7, 11}, {8, 11}, {9, 11}}, Row{29, {10, 20}, {23, 29}, {25, 30}, {28, 30}},
        Row{59, {23, 37}, {49, 58}, {53, 59}, {57, 60}},
        Row{100, {42, 59}, {85, 96}, {91, 99}, {97, 101}},
        Row{200, {88, 113}, {173, 188}, {185, 196}, {195, 201}},
        Row{299, {135, 165}, {260, 278}, {278, 291}, {293, 299}},
        Row{300, {136, 165}, {261, 279}, {279, 292}, {294, 300}},
        Row{500, {232, 269}, {439, 462}, {467, 484}, {491, 499}},
        Row{1000, {474, 527}, {884, 916}, {938, 962}, {985, 996}}}) {
    EXPECT_EQ(bound_ranks(n, 0.50), p50) << n;
    EXPECT_EQ(bound_ranks(n, 0.90), p90) << n;
    EXPECT_EQ(bound_ranks(n, 0.95), p95) << n;
    EXPECT_EQ(bound_ranks(n, 0.99), p99) << n;
  }
}

TEST(PercentileInterval, OfP99EndsAtTheMaximumFor299) {
  EXPECT_EQ(statistics(counting(299)).percentile(0.99).upper, 299ms);
}

// Coverage by trial: the bounds of many samples of a known distribution miss its percentile as
// seldom as they promise.
TEST(PercentileInterval, HoldsAsOftenAsItPromises) {
  constexpr int kTrials = 2000;
  base::Rng rng(20260730);
  int lower_misses = 0;
  int upper_misses = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Samples samples;
    for (int sample = 0; sample < 100; ++sample)
      samples.push_back(base::Nanoseconds(static_cast<std::int64_t>(rng.below(1'000'000))));
    const Percentile p90 = statistics(samples).percentile(0.90);
    if (p90.lower > base::Nanoseconds(900'000)) ++lower_misses;
    if (p90.upper < base::Nanoseconds(900'000)) ++upper_misses;
  }
  // 5 % of 2,000 and three standard deviations above: 100 + 3 * 9.7.
  EXPECT_LE(lower_misses, 130);
  EXPECT_LE(upper_misses, 130);
  // And not because the interval is needlessly wide: the binomial's steps leave at least a third of
  // the 5 %.
  EXPECT_GE(lower_misses, 30);
  EXPECT_GE(upper_misses, 30);
}

}  // namespace
}  // namespace analysis
