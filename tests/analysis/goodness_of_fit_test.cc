#include "analysis/goodness_of_fit.hh"

#include "base/rng.hh"
#include "tests/analysis/walked_lookup.hh"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace analysis {
namespace {

using namespace toy;
using Time = std::optional<base::Nanoseconds>;
using Samples = std::vector<Time>;

constexpr LossRates kQuarter{.client = 0.25, .server = 0};

Leaf leaf(Time time, std::uint64_t passed, std::uint64_t dropped) {
  return {.time = time, .counts = {.client = {.passed = passed, .dropped = dropped}, .server = {}}};
}

// 0.75 at 20 ms, 0.1875 at 120 ms, 0.046875 at 320 ms, 0.015625 never.
ExactDistribution three_tries() {
  return {std::vector{leaf(20_ms, 1, 0), leaf(120_ms, 1, 1), leaf(320_ms, 1, 2),
                      leaf(std::nullopt, 0, 3)},
          kQuarter, 0_ms};
}

// 0.75 at 20 ms, 0.1875 at 120 ms, the rest not visited.
ExactDistribution two_tries() {
  return {std::vector{leaf(20_ms, 1, 0), leaf(120_ms, 1, 1)}, kQuarter, 0_ms};
}

Samples times(std::vector<std::pair<Time, std::size_t>> counts) {
  Samples samples;
  for (const auto& [time, count] : counts) samples.insert(samples.end(), count, time);
  return samples;
}

void expect_bin(const FitBin& bin, const FitBin& expected) {
  EXPECT_EQ(bin.low, expected.low);
  EXPECT_EQ(bin.high, expected.high);
  EXPECT_EQ(bin.visited, expected.visited);
  EXPECT_NEAR(bin.expected, expected.expected, 1e-9);
  EXPECT_EQ(bin.observed, expected.observed);
}

TEST(GoodnessOfFit, IsPearsonsChiSquare) {
  const GoodnessOfFit fit = goodness_of_fit(
      three_tries(), times({{20_ms, 740}, {120_ms, 200}, {320_ms, 50}, {std::nullopt, 10}}));
  ASSERT_EQ(fit.bins.size(), 4U);
  expect_bin(fit.bins[1], {.low = 120_ms, .high = 120_ms, .expected = 187.5, .observed = 200});
  expect_bin(fit.bins[3], {.low = {}, .high = {}, .expected = 15.625, .observed = 10});
  EXPECT_NEAR(fit.chi_square,
              100 / 750.0 + 12.5 * 12.5 / 187.5 + 3.125 * 3.125 / 46.875 + 5.625 * 5.625 / 15.625,
              1e-9);
  EXPECT_EQ(fit.degrees, 3U);
  // In closed form for three degrees.
  EXPECT_NEAR(fit.p_value,
              std::erfc(std::sqrt(1.6)) + std::sqrt(6.4 / std::numbers::pi) * std::exp(-1.6), 1e-9);
  EXPECT_EQ(fit.unvisited_observed, 0U);
  EXPECT_EQ(fit.unvisited_p_value, 1);
  EXPECT_TRUE(fit.agrees());
}

TEST(GoodnessOfFit, RejectsAnotherLossRate) {
  const GoodnessOfFit fit = goodness_of_fit(
      three_tries(), times({{20_ms, 810}, {120_ms, 154}, {320_ms, 29}, {std::nullopt, 7}}));
  EXPECT_LT(fit.p_value, 0.001);
  EXPECT_FALSE(fit.agrees());
}

TEST(GoodnessOfFit, TakesNearTimesForTheSame) {
  const auto atoms = [](base::Nanoseconds second) {
    const std::vector leaves{leaf(20_ms, 1, 0), leaf(second, 1, 1), leaf(120_ms, 1, 2)};
    const ExactDistribution exact(leaves, {.client = 0.5, .server = 0}, 0_ms);
    return goodness_of_fit(exact, times({{20_ms, 100}})).bins;
  };
  EXPECT_EQ(atoms(20_ms + 1_ms).front().high, Time(21_ms));
  EXPECT_EQ(atoms(20_ms + 1_ms + base::Nanoseconds(1)).front().high, Time(20_ms));
}

TEST(GoodnessOfFit, TellsSamplesAtNoKnownTime) {
  const auto elsewhere = [](base::Nanoseconds time) {
    return goodness_of_fit(three_tries(), times({{20_ms, 75}, {time, 1}})).unvisited_observed;
  };
  for (const base::Nanoseconds near : {19'500_us, 20'500_us, 119'500_us, 320'500_us})
    EXPECT_EQ(elsewhere(near), 0U) << near;
  for (const base::Nanoseconds far :
       {0_us, 19'499_us, 20'501_us, 70'000_us, 320'501_us, 9'000'000_us})
    EXPECT_EQ(elsewhere(far), 1U) << far;
  // Nothing was left unvisited, so one is too many.
  EXPECT_EQ(goodness_of_fit(three_tries(), times({{20_ms, 75}, {70_ms, 1}})).unvisited_p_value, 0);
}

TEST(GoodnessOfFit, PoolsBinsWithLittleExpected) {
  // Expected: 75, 18.75, 4.6875 and 1.5625, so the last two become one.
  const GoodnessOfFit fit = goodness_of_fit(
      three_tries(), times({{20_ms, 75}, {120_ms, 19}, {320_ms, 4}, {std::nullopt, 2}}));
  ASSERT_EQ(fit.bins.size(), 3U);
  expect_bin(fit.bins[2], {.low = 320_ms, .high = {}, .expected = 6.25, .observed = 6});
  // Of 60, the last expect 3.75 together: too few, so they go to the one before.
  const GoodnessOfFit fewer = goodness_of_fit(three_tries(), times({{20_ms, 45}, {120_ms, 15}}));
  ASSERT_EQ(fewer.bins.size(), 2U);
  expect_bin(fewer.bins[1], {.low = 120_ms, .high = {}, .expected = 15, .observed = 15});
}

TEST(GoodnessOfFit, SaysNothingOfTooFewSamples) {
  for (const Samples& samples : {Samples(), times({{120_ms, 3}})}) {
    const GoodnessOfFit fit = goodness_of_fit(three_tries(), samples);
    EXPECT_EQ(fit.degrees, 0U);
    EXPECT_EQ(fit.p_value, 1);
  }
}

// 62.5 of 1000 are not visited; where they come, they are no deviation.
TEST(GoodnessOfFit, LetsTheUnvisitedLieAnywhere) {
  for (const Samples& samples :
       {times({{20_ms, 750}, {120_ms, 187}, {320_ms, 47}, {std::nullopt, 16}}),
        times({{20_ms, 813}, {120_ms, 187}}), times({{20_ms, 750}, {120_ms, 250}})}) {
    const GoodnessOfFit fit = goodness_of_fit(two_tries(), samples);
    EXPECT_LT(fit.chi_square, 0.02);
    EXPECT_GT(fit.p_value, 0.98);
    EXPECT_TRUE(fit.agrees());
    double expected = 0;
    for (const FitBin& bin : fit.bins) expected += bin.expected;
    EXPECT_NEAR(expected, 1000, 1e-9);
  }
}

TEST(GoodnessOfFit, DoesNotLetTheUnvisitedHideADeviation) {
  // 650 where 750 are certain.
  const GoodnessOfFit fit = goodness_of_fit(two_tries(), times({{20_ms, 650}, {120_ms, 350}}));
  EXPECT_LT(fit.p_value, 1e-6);
  const GoodnessOfFit elsewhere =
      goodness_of_fit(two_tries(), times({{20_ms, 730}, {120_ms, 170}, {70_ms, 100}}));
  EXPECT_EQ(elsewhere.unvisited_observed, 100U);
  EXPECT_FALSE(elsewhere.bins.back().visited);
  EXPECT_EQ(elsewhere.bins.back().observed, 100U);
  // P(X >= 100) for Binomial(1000, 1/16) is some five standard deviations out.
  EXPECT_LT(elsewhere.unvisited_p_value, 1e-5);
  EXPECT_GT(elsewhere.unvisited_p_value, 1e-7);
  EXPECT_FALSE(elsewhere.agrees());
}

// Samples of the toy agree with its walk, and p-values below 0.05 are no more frequent than that.
TEST(GoodnessOfFit, OfDrawsHasThePValuesItClaims) {
  constexpr PathTimes kTimes{.to_server = 7_ms, .to_client = 13_ms, .timeout = 750_ms};
  constexpr LossRates kRates{.client = 0.2, .server = 0.15};
  constexpr int kComparisons = 200;
  const Walked walked = walk_all(repeating(), kTimes, {.max_drops = 100});
  const ExactDistribution exact(walked.leaves(), kRates, 0_ms);
  Lab lab{.protocol = repeating(), .times = kTimes};
  base::Rng rng(11);
  int small = 0;
  int large = 0;
  for (int comparison = 0; comparison < kComparisons; ++comparison) {
    Samples samples;
    for (int i = 0; i < 300; ++i)
      samples.push_back(lab.run_through([&](PacketName name) {
                             const double rate =
                                 name.from == End::kClient ? kRates.client : kRates.server;
                             return static_cast<double>(rng.below(1'000'000)) < rate * 1e6;
                           })
                            .time);
    const GoodnessOfFit fit = goodness_of_fit(exact, samples);
    EXPECT_EQ(fit.unvisited_observed, 0U);
    small += fit.p_value < 0.05 ? 1 : 0;
    large += fit.p_value > 0.5 ? 1 : 0;
  }
  const auto region = [](double p) {
    return acceptance_region(kComparisons, base::Probability::from(p).value(), 0.9999);
  };
  EXPECT_TRUE(region(0.05).contains(static_cast<std::uint64_t>(small))) << small;
  EXPECT_TRUE(region(0.5).contains(static_cast<std::uint64_t>(large))) << large;
}

}  // namespace
}  // namespace analysis
