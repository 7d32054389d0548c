#include "analysis/exact_distribution.hh"

#include "base/errors.hh"
#include "base/rng.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace analysis {
namespace {

using Time = std::optional<base::Nanoseconds>;

constexpr base::Nanoseconds kFloor = std::chrono::milliseconds(10);

Time ms(int time) {
  return std::chrono::milliseconds(time);
}

Leaf leaf(Time time, Fates client, Fates server = {}) {
  return {.time = time, .counts = {.client = client, .server = server}};
}

// A client's packet that is repeated twice: answers at 20, 120 and 320 ms, or never.
std::vector<Leaf> three_tries() {
  return {leaf(ms(320), {.passed = 1, .dropped = 2}),
          leaf(std::nullopt, {.passed = 0, .dropped = 3}),
          leaf(ms(20), {.passed = 1, .dropped = 0}), leaf(ms(120), {.passed = 1, .dropped = 1})};
}

TEST(ProbabilityOf, IsTheProductOverAllFates) {
  const PatternCounts counts{.client = {.passed = 3, .dropped = 1},
                             .server = {.passed = 2, .dropped = 2}};
  EXPECT_NEAR(probability_of(counts, {.client = 0.1, .server = 0.2}),
              0.9 * 0.9 * 0.9 * 0.1 * 0.8 * 0.8 * 0.2 * 0.2, 1e-17);
  EXPECT_EQ(probability_of(counts, {.client = 0, .server = 0.2}), 0);
  EXPECT_EQ(probability_of(counts, {.client = 1, .server = 0.2}), 0);
  EXPECT_EQ(probability_of({}, {.client = 0, .server = 1}), 1);
}

TEST(StandardRates, AreAscendingShares) {
  const auto rates = standard_rates();
  EXPECT_EQ(rates.size(), 11U);
  EXPECT_EQ(rates.front(), 0.001);
  EXPECT_EQ(rates.back(), 0.2);
  EXPECT_TRUE(std::ranges::is_sorted(rates));
}

TEST(ExactDistribution, OfACompleteWalkIsExact) {
  const ExactDistribution exact(three_tries(), {.client = 0.25, .server = 0.5}, kFloor);
  EXPECT_EQ(exact.visited(), 1);
  EXPECT_EQ(exact.unvisited(), 0);
  EXPECT_EQ(exact.never().lower, 1.0 / 64);
  EXPECT_EQ(exact.never().upper, 1.0 / 64);
  // 0.75 by 20 ms, 0.9375 by 120 ms, 0.984375 by 320 ms.
  const std::vector<std::pair<double, Time>> quantiles{
      {0.001, ms(20)}, {0.5, ms(20)},   {0.75, ms(20)},       {0.7501, ms(120)}, {0.9375, ms(120)},
      {0.95, ms(320)}, {0.98, ms(320)}, {0.99, std::nullopt}, {1, std::nullopt}};
  for (const auto& [q, time] : quantiles)
    EXPECT_EQ(exact.quantile(q), (QuantileBounds{.low = time, .high = time})) << q;
  EXPECT_TRUE(exact.quantile(0.5).is_exact());
}

TEST(ExactDistribution, HasItsCumulativeProbabilities) {
  const ExactDistribution exact(three_tries(), {.client = 0.25, .server = 0}, kFloor);
  const std::vector<std::pair<int, double>> probabilities{
      {0, 0}, {19, 0}, {20, 0.75}, {119, 0.75}, {120, 0.9375}, {320, 0.984375}, {9999, 0.984375}};
  for (const auto& [time, probability] : probabilities) {
    EXPECT_EQ(exact.cumulative(*ms(time)).lower, probability) << time;
    EXPECT_EQ(exact.cumulative(*ms(time)).upper, probability) << time;
  }
}

// Only patterns of up to one drop: 1/16 is not visited.
TEST(ExactDistribution, BoundsWhatWasNotVisited) {
  const std::vector<Leaf> leaves{three_tries()[2], three_tries()[3]};
  const ExactDistribution exact(leaves, {.client = 0.25, .server = 0}, kFloor);
  EXPECT_EQ(exact.visited(), 15.0 / 16);
  EXPECT_EQ(exact.unvisited(), 1.0 / 16);
  EXPECT_EQ(exact.never().lower, 0);
  EXPECT_EQ(exact.never().upper, 1.0 / 16);
  EXPECT_EQ(exact.quantile(0.05), (QuantileBounds{.low = kFloor, .high = ms(20)}));
  EXPECT_EQ(exact.quantile(0.0625), (QuantileBounds{.low = kFloor, .high = ms(20)}));
  EXPECT_EQ(exact.quantile(0.5), (QuantileBounds{.low = ms(20), .high = ms(20)}));
  EXPECT_EQ(exact.quantile(0.8), (QuantileBounds{.low = ms(20), .high = ms(120)}));
  EXPECT_EQ(exact.quantile(0.9), (QuantileBounds{.low = ms(120), .high = ms(120)}));
  EXPECT_EQ(exact.quantile(0.9375), (QuantileBounds{.low = ms(120), .high = ms(120)}));
  EXPECT_EQ(exact.quantile(0.95), (QuantileBounds{.low = ms(120), .high = std::nullopt}));
  EXPECT_FALSE(exact.quantile(0.95).is_exact());
  EXPECT_EQ(exact.cumulative(*ms(9)).upper, 0);
  EXPECT_EQ(exact.cumulative(kFloor).lower, 0);
  EXPECT_EQ(exact.cumulative(kFloor).upper, 1.0 / 16);
  EXPECT_EQ(exact.cumulative(*ms(120)).upper, 1);
}

TEST(ExactDistribution, WithoutLeavesKnowsNothing) {
  const ExactDistribution exact({}, {.client = 0.1, .server = 0.1}, kFloor);
  EXPECT_EQ(exact.unvisited(), 1);
  EXPECT_EQ(exact.quantile(0.5), (QuantileBounds{.low = kFloor, .high = std::nullopt}));
}

TEST(ExactDistribution, MergesEqualTimes) {
  const std::vector<Leaf> leaves{leaf(ms(30), {.passed = 1, .dropped = 1}),
                                 leaf(ms(20), {.passed = 2, .dropped = 0}),
                                 leaf(ms(30), {.passed = 1, .dropped = 1})};
  const ExactDistribution exact(leaves, {.client = 0.25, .server = 0}, kFloor);
  ASSERT_EQ(exact.atoms().size(), 2U);
  EXPECT_EQ(exact.atoms()[1].time, *ms(30));
  EXPECT_EQ(exact.atoms()[1].probability, 0.375);
  EXPECT_EQ(exact.atoms()[1].cumulative, 0.9375);
}

TEST(ExactDistribution, RefusesLeavesOfDifferentTrees) {
  auto leaves = three_tries();
  leaves.push_back(leaves.front());
  EXPECT_THROW(ExactDistribution(leaves, {.client = 0.25, .server = 0}, kFloor), base::LabError);
}

// A hundred thousand leaves whose probabilities are those of 17 independent packets, most of them
// tiny: nothing of the sum may get lost.
TEST(ExactDistribution, SumsManySmallProbabilities) {
  constexpr unsigned kPackets = 17;
  std::vector<Leaf> leaves;
  for (unsigned fates = 0; fates < (1U << kPackets); ++fates) {
    const auto dropped = static_cast<std::uint64_t>(std::popcount(fates));
    leaves.push_back(leaf(base::Nanoseconds(1 + base::Rng(fates)() % 1000),
                          {.passed = kPackets - dropped, .dropped = dropped}));
  }
  for (const double rate : {0.001, 0.05, 0.2}) {
    const ExactDistribution exact(leaves, {.client = rate, .server = rate}, base::Nanoseconds(1));
    EXPECT_NEAR(exact.visited(), 1, 1e-14) << rate;
    EXPECT_NEAR(exact.visited() + exact.unvisited(), 1, 1e-15) << rate;
    // Whatever is left of 1 by rounding is no reason for bounds.
    EXPECT_TRUE(exact.quantile(1).is_exact()) << rate;
    EXPECT_TRUE(exact.quantile(1e-6).is_exact()) << rate;
  }
}

}  // namespace
}  // namespace analysis
