#include "analysis/block_bootstrap.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace analysis {
namespace {

using namespace std::chrono_literals;

constexpr double kMillisecond = 1e6;  // in nanoseconds
constexpr double kMedian[]{0.5};

PercentileDifference median_of(const std::vector<QueryPair>& pairs, base::Seed seed = 1) {
  return percentile_differences(pairs, kMedian, base::Rng(seed)).front();
}

// One pair in each of `blocks` blocks: A takes 10 ms, 20 ms ..., B nothing.
std::vector<QueryPair> staircase(std::uint64_t blocks) {
  std::vector<QueryPair> pairs;
  for (std::uint64_t block = 0; block < blocks; ++block)
    pairs.push_back({.block = block, .a = 10ms * (block + 1), .b = 0ms});
  return pairs;
}

// The median of six draws from six values is their third smallest. It is at most the i-th value
// with P(Binomial(6, i/6) >= 3): 6.2 % for the first, 90.0 % for the fourth, 99.1 % for the fifth.
// So 2.5 % and 97.5 % fall on the first and on the fifth, whatever the seed.
TEST(BlockBootstrap, HasTheQuantilesComputedByHand) {
  for (const base::Seed seed : {1U, 2U, 3U, 4U, 5U}) {
    const PercentileDifference median = median_of(staircase(6), seed);
    EXPECT_EQ(median.value, 30 * kMillisecond);
    EXPECT_EQ(median.lower, 10 * kMillisecond);
    EXPECT_EQ(median.upper, 50 * kMillisecond);
    EXPECT_EQ(median.reason, "");
  }
}

// A constant difference is the same in every draw: pairs stay together.
TEST(BlockBootstrap, KeepsPairsTogether) {
  std::vector<QueryPair> pairs;
  base::Rng rng(7);
  for (std::uint64_t i = 0; i < 600; ++i) {
    const base::Nanoseconds time(static_cast<std::int64_t>(rng.below(1'000'000'000)));
    pairs.push_back({.block = i / 60, .a = time + 40ms, .b = time});
  }
  constexpr double kAll[]{0.5, 0.9, 0.95, 0.99};
  for (const PercentileDifference& row : percentile_differences(pairs, kAll, base::Rng(1))) {
    EXPECT_EQ(row.value, 40 * kMillisecond) << row.p;
    EXPECT_EQ(row.lower, 40 * kMillisecond) << row.p;
    EXPECT_EQ(row.upper, 40 * kMillisecond) << row.p;
  }
}

// With blocks that differ as a whole, drawing single pairs would pretend to know far more.
TEST(BlockBootstrap, DrawsBlocksAndNotQueries) {
  std::vector<QueryPair> pairs;
  for (const QueryPair& step : staircase(6)) pairs.insert(pairs.end(), 50, step);
  const PercentileDifference median = median_of(pairs);
  EXPECT_EQ(median.lower, 10 * kMillisecond);
  EXPECT_EQ(median.upper, 50 * kMillisecond);
}

TEST(BlockBootstrap, IsDecidedByItsGeneratorAndNotByTheOrder) {
  std::vector<QueryPair> pairs = staircase(40);
  const PercentileDifference once = median_of(pairs, 5);
  std::ranges::reverse(pairs);
  const PercentileDifference again = median_of(pairs, 5);
  EXPECT_EQ(once.lower, again.lower);
  EXPECT_EQ(once.upper, again.upper);
}

TEST(BlockBootstrap, WhatIsCensoredBoundsNothing) {
  // A's median lies beyond the timeout in some draws: no upper bound.
  std::vector<QueryPair> pairs = staircase(6);
  for (std::size_t i = 4; i < 6; ++i) pairs[i].a.reset();
  const PercentileDifference open = median_of(pairs);
  EXPECT_EQ(open.value, 30 * kMillisecond);
  EXPECT_EQ(open.lower, 10 * kMillisecond);
  EXPECT_EQ(open.upper, HUGE_VAL);
  // Where both sides' are, nothing is known at all.
  for (QueryPair& pair : pairs) pair = {.block = pair.block, .a = {}, .b = {}};
  const PercentileDifference unknown = median_of(pairs);
  EXPECT_EQ(unknown.value, std::nullopt);
  EXPECT_EQ(unknown.lower, -HUGE_VAL);
  EXPECT_EQ(unknown.upper, HUGE_VAL);
  EXPECT_EQ(unknown.reason, "beyond the timeout on both sides");
}

TEST(BlockBootstrap, SaysWhatItTakes) {
  const PercentileDifference few = median_of(staircase(5));
  EXPECT_EQ(few.value, 30 * kMillisecond);
  EXPECT_EQ(few.lower, std::nullopt);
  EXPECT_EQ(few.upper, std::nullopt);
  EXPECT_EQ(few.reason, "5 blocks give no interval: it takes 6");
  constexpr double kTail[]{0.99};
  const auto tail = percentile_differences(staircase(100), kTail, base::Rng(1)).front();
  EXPECT_EQ(tail.value, std::nullopt);
  EXPECT_EQ(tail.lower, std::nullopt);
  EXPECT_EQ(tail.reason, "100 samples support no p99: it takes 299");
  EXPECT_EQ(median_of({}).reason, "0 samples support no p50: it takes 5");
}

}  // namespace
}  // namespace analysis
