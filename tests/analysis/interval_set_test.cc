#include "analysis/interval_set.hh"

#include "base/rng.hh"

#include <gtest/gtest.h>

#include <set>

namespace analysis {
namespace {

TEST(IntervalSet, SaysHowMuchIsNew) {
  IntervalSet set;
  EXPECT_EQ(set.add(10, 20), 10U);
  EXPECT_EQ(set.add(10, 20), 0U);
  EXPECT_EQ(set.add(15, 25), 5U);
  EXPECT_EQ(set.add(0, 10), 10U);  // touches
  EXPECT_EQ(set.add(0, 100), 75U);
  EXPECT_EQ(set.count(), 100U);
  EXPECT_EQ(set.end_of(0), 100U);
  EXPECT_EQ(set.end_of(99), 100U);
  EXPECT_EQ(set.end_of(100), 100U);
  EXPECT_EQ(set.end_of(7000), 7000U);
}

TEST(IntervalSet, EmptyAndTurnedRangesAddNothing) {
  IntervalSet set;
  EXPECT_EQ(set.add(5, 5), 0U);
  EXPECT_EQ(set.add(6, 5), 0U);
  EXPECT_EQ(set.end_of(5), 5U);
}

TEST(IntervalSet, AgreesWithASetOfNumbers) {
  base::Rng rng(1);
  for (int round = 0; round < 200; ++round) {
    IntervalSet set;
    std::set<std::uint64_t> numbers;
    for (int step = 0; step < 40; ++step) {
      const std::uint64_t begin = rng.below(120);
      const std::uint64_t end = begin + rng.below(15);
      std::uint64_t fresh = 0;
      for (std::uint64_t number = begin; number < end; ++number)
        fresh += numbers.insert(number).second ? 1 : 0;
      ASSERT_EQ(set.add(begin, end), fresh);
      ASSERT_EQ(set.count(), numbers.size());
      const std::uint64_t asked = rng.below(140);
      std::uint64_t behind = asked;
      while (numbers.contains(behind)) ++behind;
      ASSERT_EQ(set.end_of(asked), behind);
    }
  }
}

TEST(IntervalSet, TooManyIntervalsAreNotKept) {
  IntervalSet set;
  for (std::uint64_t index = 0; index < IntervalSet::kMaxIntervals; ++index)
    set.add(2 * index, 2 * index + 1);
  const std::uint64_t beyond = 2 * IntervalSet::kMaxIntervals;
  EXPECT_EQ(set.add(beyond, beyond + 1), 1U);
  EXPECT_EQ(set.add(beyond, beyond + 1), 1U);
  EXPECT_EQ(set.add(0, 2), 1U);  // what is known is still known
}

}  // namespace
}  // namespace analysis
