#include "base/rng.hh"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace base {
namespace {

// First outputs for the seed 1234567, as the generator's authors' reference program prints them.
TEST(Rng, IsSplitMix64) {
  Rng rng(1234567);
  const std::array<std::uint64_t, 3> expected{6457827717110365317U, 3203168211198807973U,
                                              9817491932198370423U};
  for (const std::uint64_t word : expected) EXPECT_EQ(rng(), word);
}

TEST(Rng, NamesGiveIndependentSeeds) {
  std::set<Seed> seeds;
  for (int query = 0; query < 1000; ++query)
    seeds.insert(derive_seed(42, "query/" + std::to_string(query)));
  seeds.insert(derive_seed(43, "query/0"));
  EXPECT_EQ(seeds.size(), 1001U);
  EXPECT_EQ(derive_seed(42, "a"), derive_seed(42, "a"));
}

TEST(Rng, BelowStaysBelowAndReachesEverything) {
  Rng rng(7);
  std::array<int, 5> counts{};
  for (int draw = 0; draw < 5000; ++draw) ++counts.at(rng.below(5));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace base
