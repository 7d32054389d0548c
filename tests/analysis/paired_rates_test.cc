#include "analysis/paired_rates.hh"

#include <gtest/gtest.h>

namespace analysis {
namespace {

TEST(McnemarExact, CountsBothTails) {
  // 2 of 2^8: none or one of eight on one side is 9/256, twice 18/256.
  EXPECT_NEAR(mcnemar_exact({.both = 0, .only_a = 1, .only_b = 7, .neither = 0}), 18.0 / 256,
              1e-12);
  EXPECT_NEAR(mcnemar_exact({.both = 5, .only_a = 12, .only_b = 0, .neither = 9}), 2.0 / 4096,
              1e-12);
}

// Fagerland, Lydersen and Laake (2013), BMC Medical Research Methodology 13:91: 21 children before
// and after a transplantation, exact conditional p = 0.070; 161 patients before and after
// consolidation, p = 0.053.
TEST(McnemarExact, ReproducesPublishedExamples) {
  EXPECT_NEAR(mcnemar_exact({.both = 1, .only_a = 1, .only_b = 7, .neither = 12}), 0.070, 5e-4);
  EXPECT_NEAR(mcnemar_exact({.both = 59, .only_a = 6, .only_b = 16, .neither = 80}), 0.053, 6e-4);
}

TEST(McnemarExact, DependsOnDifferingPairsOnlyAndOnNoSide) {
  const double few = mcnemar_exact({.both = 0, .only_a = 5, .only_b = 20, .neither = 0});
  EXPECT_EQ(mcnemar_exact({.both = 90, .only_a = 20, .only_b = 5, .neither = 900}), few);
  EXPECT_NEAR(few, 0.0040773, 5e-8);  // by exact integer arithmetic
}

TEST(McnemarExact, WithoutDifferenceIsOne) {
  EXPECT_EQ(mcnemar_exact({}), 1);
  EXPECT_EQ(mcnemar_exact({.both = 0, .only_a = 3, .only_b = 3, .neither = 0}), 1);
}

struct Published {
  PairCounts counts;
  RateDifference interval;
  double digits;
};

class PublishedDifference : public testing::TestWithParam<Published> {};

TEST_P(PublishedDifference, IsReproduced) {
  const auto& [counts, expected, digits] = GetParam();
  const RateDifference found = rate_difference(counts);
  EXPECT_NEAR(found.difference, expected.difference, digits);
  EXPECT_NEAR(found.lower, expected.lower, digits);
  EXPECT_NEAR(found.upper, expected.upper, digits);
}

// Newcombe (1998), Statistics in Medicine 17, 2635-2650, method 10.
INSTANTIATE_TEST_SUITE_P(Newcombe1998, PublishedDifference,
                         testing::Values(Published{{36, 12, 2, 0}, {0.2, 0.0569, 0.3404}, 5e-5},
                                         Published{{20, 12, 2, 16}, {0.2, 0.0562, 0.3292}, 5e-5}));

// Altman, Machin, Bryant and Gardner (2000), Statistics with Confidence, chapter 6: 41 pairs, 14 of
// both, 5 of A only: 0.122, 95 % from 0.011 to 0.226.
INSTANTIATE_TEST_SUITE_P(Altman2000, PublishedDifference,
                         testing::Values(Published{{14, 5, 0, 22}, {0.122, 0.011, 0.226}, 6e-4}));

TEST(RateDifference, IsSymmetricInItsSides) {
  const RateDifference one =
      rate_difference({.both = 3, .only_a = 15, .only_b = 4, .neither = 278});
  const RateDifference other =
      rate_difference({.both = 3, .only_a = 4, .only_b = 15, .neither = 278});
  EXPECT_DOUBLE_EQ(one.difference, -other.difference);
  EXPECT_DOUBLE_EQ(one.lower, -other.upper);
  EXPECT_DOUBLE_EQ(one.upper, -other.lower);
}

// No pair without an answer still leaves room: twice Wilson's upper bound, joined at a right angle.
TEST(RateDifference, StaysOpenWhereNothingFailed) {
  const RateDifference none = rate_difference({.both = 0, .only_a = 0, .only_b = 0, .neither = 30});
  EXPECT_EQ(none.difference, 0);
  EXPECT_NEAR(none.lower, -0.1135, 5e-5);
  EXPECT_NEAR(none.upper, 0.1135, 5e-5);
  const RateDifference nothing = rate_difference({});
  EXPECT_EQ(nothing.lower, -1);
  EXPECT_EQ(nothing.upper, 1);
}

}  // namespace
}  // namespace analysis
