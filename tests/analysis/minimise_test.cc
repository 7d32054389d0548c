#include "analysis/minimise.hh"

#include "tests/analysis/toy_lookup.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace analysis {
namespace {

using namespace toy;

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

LossPattern drops(std::initializer_list<std::string_view> names) {
  LossPattern pattern;
  for (const std::string_view name : names) pattern.push_back(parse_packet_name(name).value());
  return pattern;
}

LossPattern first_of_client(std::uint64_t count) {
  LossPattern pattern;
  for (std::uint64_t ordinal = 1; ordinal <= count; ++ordinal)
    pattern.push_back({.from = End::kClient, .ordinal = ordinal});
  return pattern;
}

bool has_all(const LossPattern& pattern, const LossPattern& needed) {
  return std::ranges::includes(pattern, needed);
}

TEST(Minimise, FindsTheDropsThatItTakes) {
  for (const LossPattern& needed : {drops({}), drops({"c1"}), drops({"c8"}), drops({"c1", "c8"}),
                                    drops({"c2", "c3", "c7"}), first_of_client(8)}) {
    const auto found = minimise(
        first_of_client(8), [&](const LossPattern& tried) { return has_all(tried, needed); },
        kUnlimited);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->pattern, needed);
    EXPECT_TRUE(found->one_minimal);
    EXPECT_EQ(found->smallest, needed.size() <= 3) << to_string(needed);
  }
}

TEST(Minimise, IsEmptyWhereTheOriginalDoesNotFail) {
  EXPECT_FALSE(minimise(first_of_client(3), [](const LossPattern&) { return false; }, kUnlimited));
}

TEST(Minimise, AsksAboutEachPatternOnce) {
  std::set<LossPattern> asked;
  const LossPattern needed = drops({"c3", "c4", "c11"});
  const auto found = minimise(
      first_of_client(16),
      [&](const LossPattern& tried) {
        EXPECT_TRUE(asked.insert(tried).second) << to_string(tried);
        EXPECT_TRUE(std::ranges::is_sorted(tried));
        return has_all(tried, needed);
      },
      kUnlimited);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->trials, asked.size());
}

// One of 200: halving needs far fewer trials than trying one after the other.
TEST(Minimise, HalvesWhereItCan) {
  const auto found = minimise(
      first_of_client(200),
      [](const LossPattern& tried) { return has_all(tried, drops({"c137"})); }, kUnlimited);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pattern, drops({"c137"}));
  EXPECT_LE(found->trials, 20U);
}

// Three drops of which each is needed, and beside them a pair that fails as well: removing alone
// does not lead there.
TEST(Minimise, FindsSmallerOnesBesideTheMinimum) {
  const auto fails = [](const LossPattern& tried) {
    return has_all(tried, drops({"c1", "c2", "c3"})) || tried == drops({"c4", "c6"});
  };
  const auto found = minimise(first_of_client(6), fails, kUnlimited);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pattern, drops({"c4", "c6"}));
  EXPECT_TRUE(found->one_minimal);
  EXPECT_TRUE(found->smallest);
}

TEST(Minimise, SaysWhatItDidNotGetTo) {
  const LossPattern needed = drops({"c1", "c4", "c8"});
  const auto limited = [&](std::size_t max_trials) {
    std::size_t asked = 0;
    const auto found = minimise(
        first_of_client(8),
        [&](const LossPattern& tried) {
          ++asked;
          return has_all(tried, needed);
        },
        max_trials);
    EXPECT_LE(asked, max_trials);
    EXPECT_TRUE(has_all(found->pattern, needed));
    return *found;
  };
  EXPECT_EQ(limited(1).pattern, first_of_client(8));
  EXPECT_FALSE(limited(1).one_minimal);
  std::size_t minimal_from = 1;
  while (!limited(minimal_from).one_minimal) ++minimal_from;
  EXPECT_EQ(limited(minimal_from).pattern, needed);
  EXPECT_GT(minimal_from, 4U);
  // Minimal is known before all pairs are tried.
  EXPECT_FALSE(limited(minimal_from).smallest);
  EXPECT_TRUE(limited(kUnlimited).smallest);
}

// The toy misses 200 ms only where its first two exchanges each lost a packet.
TEST(Minimise, ExplainsASlowLookup) {
  Lab lab{.protocol = repeating(),
          .times = {.to_server = 7_ms, .to_client = 13_ms, .timeout = 750_ms}};
  const auto is_slow = [&](const LossPattern& tried) {
    const auto time = lab.run(tried).time;
    return !time || *time > 200_ms;
  };
  const LossPattern original = drops({"c1", "c2", "s1", "s2", "s3"});
  const auto found = minimise(original, is_slow, kUnlimited);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pattern.size(), 2U);
  EXPECT_TRUE(is_slow(found->pattern));
  EXPECT_TRUE(found->one_minimal);
  EXPECT_TRUE(found->smallest);
}

}  // namespace
}  // namespace analysis
