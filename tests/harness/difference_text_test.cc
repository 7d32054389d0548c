#include "harness/difference_text.hh"

#include <gtest/gtest.h>

#include <cmath>

namespace harness {
namespace {

using namespace std::chrono_literals;

constexpr double kMillisecond = 1e6;  // in nanoseconds
constexpr base::Nanoseconds kTimeout = 10s;

std::string interval(double lower, double upper) {
  return interval_text({.value = 0, .lower = lower, .upper = upper}, kTimeout);
}

Slower slower(double lower, double upper) {
  return slower_side({.value = 0, .lower = lower, .upper = upper});
}

TEST(DifferenceText, HasASignAndNeverAMinusZero) {
  EXPECT_EQ(difference_text(40 * kMillisecond, kTimeout), "+40.0");
  EXPECT_EQ(difference_text(-1.26 * kMillisecond, kTimeout), "-1.3");
  EXPECT_EQ(difference_text(-0.04 * kMillisecond, kTimeout), "0.0");
  EXPECT_EQ(difference_text(0.04 * kMillisecond, kTimeout), "0.0");
}

TEST(DifferenceText, SaysWhichSideLiesBeyondTheTimeout) {
  EXPECT_EQ(difference_text(HUGE_VAL, kTimeout), "A > 10s");
  EXPECT_EQ(difference_text(-HUGE_VAL, kTimeout), "B > 10s");
  EXPECT_EQ(difference_text({}, kTimeout), "-");
}

TEST(DifferenceText, IntervalsMayBeOpen) {
  EXPECT_EQ(interval(-1 * kMillisecond, 2 * kMillisecond), "-1.0 to +2.0");
  EXPECT_EQ(interval(-HUGE_VAL, 2 * kMillisecond), "+2.0 and less");
  EXPECT_EQ(interval(-1 * kMillisecond, HUGE_VAL), "-1.0 and more");
  EXPECT_EQ(interval(-HUGE_VAL, HUGE_VAL), "unbounded");
  EXPECT_EQ(interval(HUGE_VAL, HUGE_VAL), "A > 10s");
  EXPECT_EQ(interval_text({.value = 0, .lower = {}, .upper = {}}, kTimeout), "");
}

TEST(DifferenceText, IsADifferenceOnlyWhereTheIntervalLeavesZeroOut) {
  EXPECT_EQ(slower(1 * kMillisecond, HUGE_VAL), Slower::kA);
  EXPECT_EQ(slower(-HUGE_VAL, -1 * kMillisecond), Slower::kB);
  EXPECT_EQ(slower(-1 * kMillisecond, 1 * kMillisecond), Slower::kNotDecided);
  EXPECT_EQ(slower(0, 0), Slower::kNotDecided);
  // What is shown as "0.0 to +0.2" must not be called a difference.
  EXPECT_EQ(slower(0.04 * kMillisecond, 0.2 * kMillisecond), Slower::kNotDecided);
  EXPECT_EQ(slower(0.06 * kMillisecond, 0.2 * kMillisecond), Slower::kA);
  EXPECT_EQ(slower_side({.value = 0, .lower = {}, .upper = {}}), Slower::kUnknown);
}

TEST(DifferenceText, Probabilities) {
  EXPECT_EQ(probability_text(1), "p = 1.00");
  EXPECT_EQ(probability_text(0.5), "p = 0.50");
  EXPECT_EQ(probability_text(0.0313), "p = 0.031");
  EXPECT_EQ(probability_text(0.0009), "p < 0.001");
}

}  // namespace
}  // namespace harness
