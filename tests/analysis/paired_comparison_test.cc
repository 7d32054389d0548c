#include "analysis/paired_comparison.hh"

#include "base/errors.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace analysis {
namespace {

using namespace std::chrono_literals;
using Time = std::optional<base::Nanoseconds>;

constexpr double kMillisecond = 1e6;  // in nanoseconds

// A against B in one block, in milliseconds; 0 stands for no answer.
std::vector<QueryPair> pairs_of(std::vector<std::pair<int, int>> times) {
  std::vector<QueryPair> pairs;
  const auto time = [](int value) {
    return value == 0 ? Time() : Time(std::chrono::milliseconds(value));
  };
  for (const auto& [a, b] : times) pairs.push_back({.block = 0, .a = time(a), .b = time(b)});
  return pairs;
}

// A is 1 to n ms slower.
std::vector<QueryPair> slower_by_up_to(int n) {
  std::vector<std::pair<int, int>> times;
  for (int i = n; i > 0; --i) times.emplace_back(100 + i, 100);
  return pairs_of(times);
}

TEST(MedianDifference, IsThatOfThePairs) {
  // Both have the same times, so that their medians are equal; the pairs' differences are not.
  EXPECT_EQ(median_difference(pairs_of({{10, 20}, {20, 30}, {30, 10}})).value, -10 * kMillisecond);
  EXPECT_EQ(median_difference(slower_by_up_to(4)).value, 2.5 * kMillisecond);
  EXPECT_EQ(median_difference({}).value, std::nullopt);
}

// Ranks of the 95 % interval of a median: Campbell and Gardner (1988), BMJ 296:1454, table II, and
// Conover, Practical Nonparametric Statistics, table A3.
TEST(MedianDifference, HasThePublishedRanks) {
  struct Row {
    int n;
    int lower;
    int upper;
  };
  for (const auto& [n, lower, upper] :
       {Row{6, 1, 6}, Row{7, 1, 7}, Row{8, 1, 8}, Row{9, 2, 8}, Row{10, 2, 9}, Row{12, 3, 10},
        Row{15, 4, 12}, Row{20, 6, 15}, Row{25, 8, 18}, Row{30, 10, 21}, Row{40, 14, 27},
        Row{50, 18, 33}, Row{60, 22, 39}, Row{80, 31, 50}, Row{100, 40, 61}}) {
    const MedianDifference median = median_difference(slower_by_up_to(n));
    EXPECT_EQ(median.lower, lower * kMillisecond) << n;
    EXPECT_EQ(median.upper, upper * kMillisecond) << n;
  }
  EXPECT_EQ(median_difference(slower_by_up_to(5)).lower, std::nullopt);
}

TEST(MedianDifference, CensoredSideLiesBeyondAllOthers) {
  // Sorted: -infinity, 1, 2, 3, 4, 5, infinity.
  const MedianDifference median = median_difference(
      pairs_of({{0, 9}, {11, 10}, {12, 10}, {13, 10}, {14, 10}, {15, 10}, {9, 0}}));
  EXPECT_EQ(median.value, 3 * kMillisecond);
  EXPECT_EQ(median.lower, -HUGE_VAL);
  EXPECT_EQ(median.upper, HUGE_VAL);
  // More than half: the median itself.
  EXPECT_EQ(median_difference(pairs_of({{0, 9}, {0, 9}, {11, 10}})).value, HUGE_VAL);
  EXPECT_EQ(median_difference(pairs_of({{9, 0}, {0, 9}})).value, std::nullopt);
}

TEST(MedianDifference, PairWithoutAnyAnswerMayLieAnywhere) {
  // 1, 2, 2, 2, 3 and one unknown: the median is 2 wherever it lies.
  EXPECT_EQ(
      median_difference(pairs_of({{11, 10}, {12, 10}, {12, 10}, {12, 10}, {13, 10}, {0, 0}})).value,
      2 * kMillisecond);
  // 1, 2, 3 and one unknown: it is 1.5 or 2.5 or between.
  EXPECT_EQ(median_difference(pairs_of({{11, 10}, {12, 10}, {13, 10}, {0, 0}})).value,
            std::nullopt);
  // Ten pairs, ranks 2 and 9: with one unknown on either side they are the 1st and the 9th of the
  // known ones.
  std::vector<QueryPair> pairs = slower_by_up_to(9);
  pairs.push_back({.block = 0, .a = {}, .b = {}});
  const MedianDifference median = median_difference(pairs);
  EXPECT_EQ(median.lower, 1 * kMillisecond);
  EXPECT_EQ(median.upper, 9 * kMillisecond);
}

TEST(PairedComparison, CountsWhoStayedWithoutAnAnswer) {
  const PairedComparison comparison =
      compare_pairs(pairs_of({{0, 0}, {0, 5}, {0, 5}, {0, 5}, {5, 0}, {5, 5}}), base::Rng(1));
  EXPECT_EQ(comparison.pairs, 6U);
  EXPECT_EQ(comparison.unanswered, (PairCounts{.both = 1, .only_a = 3, .only_b = 1, .neither = 1}));
  EXPECT_DOUBLE_EQ(comparison.unanswered_p, 2 * 5.0 / 16);
  EXPECT_DOUBLE_EQ(comparison.unanswered_rates.difference, 2.0 / 6);
}

TEST(PairedComparison, CountsBlocksByTheirMedians) {
  std::vector<QueryPair> pairs;
  const auto add = [&](std::uint64_t block, Time a, Time b) {
    pairs.insert(pairs.end(), 3, {.block = block, .a = a, .b = b});
    // An outlier to the other side does not move a median.
    pairs.push_back({.block = block, .a = b, .b = a});
  };
  add(0, 50ms, 40ms);
  add(1, {}, 40ms);
  add(2, 40ms, 41ms);
  add(3, 40ms, 40ms);
  add(4, {}, {});
  add(5, 60ms, 40ms);
  // Less than what is shown, and just more than that.
  add(6, 40ms + 50us, 40ms);
  add(7, 40ms + 51us, 40ms);
  const PairedComparison comparison = compare_pairs(pairs, base::Rng(1));
  EXPECT_EQ(comparison.blocks, 8U);
  EXPECT_EQ(comparison.blocks_a_slower, 4U);
  EXPECT_EQ(comparison.blocks_b_slower, 1U);
}

TEST(PairedComparison, ComparesFourPercentiles) {
  std::vector<QueryPair> pairs = slower_by_up_to(300);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].block = i % 6;
  const PairedComparison comparison = compare_pairs(pairs, base::Rng(1));
  ASSERT_EQ(comparison.percentiles.size(), 4U);
  EXPECT_EQ(comparison.percentiles[0].value, 150 * kMillisecond);
  EXPECT_EQ(comparison.percentiles[1].value, 270 * kMillisecond);
  EXPECT_EQ(comparison.percentiles[2].value, 285 * kMillisecond);
  EXPECT_EQ(comparison.percentiles[3].value, 297 * kMillisecond);
  for (const PercentileDifference& row : comparison.percentiles) {
    EXPECT_LE(row.lower, row.value) << row.p;
    EXPECT_GE(row.upper, row.value) << row.p;
  }
}

captures::QueryRecord record(std::uint64_t block, std::uint64_t index, Time time) {
  captures::QueryRecord made;
  made.block = block;
  made.index = index;
  made.time = time;
  return made;
}

TEST(PairQueries, MatchesByBlockAndIndex) {
  const std::vector a{record(1, 7, 10ms), record(0, 3, 11ms), record(1, 8, {})};
  const std::vector b{record(0, 3, 21ms), record(0, 4, 22ms), record(1, 8, 23ms),
                      record(1, 7, 24ms)};
  const QueryPairs result = pair_queries(a, b);
  EXPECT_THAT(result.pairs, testing::ElementsAre(QueryPair{.block = 0, .a = 11ms, .b = 21ms},
                                                 QueryPair{.block = 1, .a = 10ms, .b = 24ms},
                                                 QueryPair{.block = 1, .a = {}, .b = 23ms}));
  EXPECT_EQ(result.unpaired, 1U);
}

TEST(PairQueries, TakesOneCellOnly) {
  const std::vector twice{record(0, 3, 11ms), record(0, 3, 12ms)};
  EXPECT_THROW(static_cast<void>(pair_queries(twice, {})), base::LabError);
}

}  // namespace
}  // namespace analysis
