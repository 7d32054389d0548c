#include "harness/spelling.hh"

#include <gtest/gtest.h>

#include <array>

namespace harness {
namespace {

TEST(EditDistance, CountsEachKindOfSlipOnce) {
  EXPECT_EQ(edit_distance("retry", "retry"), 0U);
  EXPECT_EQ(edit_distance("rtry", "retry"), 1U);
  EXPECT_EQ(edit_distance("rettry", "retry"), 1U);
  EXPECT_EQ(edit_distance("retri", "retry"), 1U);
  EXPECT_EQ(edit_distance("rerty", "retry"), 1U);
  EXPECT_EQ(edit_distance("", "retry"), 5U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, FindsTheKeyThatWasMeant) {
  constexpr std::array<std::string_view, 4> kNames{"endpoint.retry", "path.each_way.loss",
                                                   "client.queries", "client.timeout"};
  EXPECT_EQ(nearest("endpoint.retri", kNames), "endpoint.retry");
  EXPECT_EQ(nearest("path.loss", kNames), "path.each_way.loss");
  EXPECT_EQ(nearest("queries", kNames), "client.queries");
  EXPECT_EQ(nearest("client.timout", kNames), "client.timeout");
}

TEST(Nearest, SaysNothingRatherThanSomethingFar) {
  constexpr std::array<std::string_view, 2> kNames{"endpoint.retry", "client.queries"};
  EXPECT_EQ(nearest("bananas", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest(std::string(100000, 'r'), kNames), "");
}

TEST(JoinAlternatives, ReadsLikeASentence) {
  constexpr std::array<std::string_view, 3> kNames{"a", "b", "c"};
  EXPECT_EQ(join_alternatives(kNames), "a, b or c");
  EXPECT_EQ(join_alternatives(std::span(kNames).first(1)), "a");
}

}  // namespace
}  // namespace harness
