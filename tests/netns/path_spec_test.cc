#include "netns/path_spec.hh"

#include <gmock/gmock.h>

namespace netns {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

base::Probability probability(double value) {
  return base::Probability::from(value).value();
}

TEST(PathSpec, ProblemsNameTheFieldAndWhatIsAllowed) {
  struct Row {
    OneWaySpec spec;
    const char* field;
    const char* text;
  };
  const Row rows[] = {
      {{.delay = -1ms}, "delay", "is not between"},
      {{.delay = 11min}, "delay", "and 600s"},
      {{.delay = 20ms, .jitter = 30ms}, "jitter", "30ms is longer than the delay of 20ms"},
      {{.delay = 5s, .jitter = 3s}, "jitter", "and 2s"},
      {{.loss = GilbertElliottLoss{probability(0.1), {}, probability(1), {}}}, "loss", "r is 0"},
      {{.rate = base::BitRate{999}}, "rate", "is not between 1kbit and 100gbit"},
      {{.rate = base::BitRate{200'000'000'000}}, "rate", "is not between"},
      {{.rate = base::BitRate{8'001}}, "rate", "whole bytes"},
      {{.reorder = Reorder{probability(0.1), 1}}, "reorder", "needs a delay"},
      {{.delay = 1ms, .reorder = Reorder{probability(0.1), 0}}, "reorder", "gap 0"},
      {{.delay = 1ms, .reorder = Reorder{probability(0.1), 2'000'000}}, "reorder", "gap 2000000"},
      {{.limit = 2'000'000}, "limit", "more than 1000000"},
  };
  for (const Row& row : rows) {
    const auto problems = problems_of(row.spec);
    ASSERT_EQ(problems.size(), 1U) << row.field << " " << row.text;
    EXPECT_EQ(problems[0].field, row.field);
    EXPECT_THAT(problems[0].text, HasSubstr(row.text));
  }
}

TEST(PathSpec, AllProblemsAreFoundAtOnce) {
  const OneWaySpec spec{.jitter = 3s, .rate = base::BitRate{9}, .limit = 9'999'999};
  std::vector<std::string_view> fields;
  for (const SpecProblem& problem : problems_of(spec)) fields.push_back(problem.field);
  EXPECT_THAT(fields, ElementsAre("jitter", "jitter", "rate", "limit"));
}

TEST(PathSpec, LimitsThemselvesAreAllowed) {
  EXPECT_THAT(problems_of({}), IsEmpty());
  EXPECT_THAT(problems_of({.delay = kLongestDelay,
                           .jitter = kLongestJitter,
                           .loss = RandomLoss{probability(1)},
                           .rate = kHighestRate,
                           .reorder = Reorder{probability(1), kLargestGap},
                           .limit = kLargestQueue}),
              IsEmpty());
}

TEST(PathSpec, OnlyALimitImpairsNothing) {
  EXPECT_FALSE(impairs({}));
  EXPECT_FALSE(impairs({.limit = 10}));
  EXPECT_TRUE(impairs({.delay = 1ns}));
  EXPECT_TRUE(impairs({.loss = RandomLoss{probability(0.02)}}));
}

TEST(PathSpec, MeanLossOfTheModels) {
  EXPECT_EQ(mean_loss(NoLoss{}), 0);
  EXPECT_EQ(mean_loss(RandomLoss{probability(0.02)}), 0.02);
  // p/(p+r) of the packets meet the bad state.
  EXPECT_DOUBLE_EQ(
      mean_loss(GilbertElliottLoss{probability(0.01), probability(0.09), probability(1), {}}), 0.1);
  EXPECT_DOUBLE_EQ(mean_loss(GilbertElliottLoss{probability(0.1), probability(0.1),
                                                probability(0.5), probability(0.1)}),
                   0.3);
  EXPECT_DOUBLE_EQ(mean_loss(GilbertElliottLoss{{}, {}, probability(1), probability(0.25)}), 0.25);
}

TEST(PathSpec, ReadsLikeTheScenario) {
  EXPECT_EQ(to_string(OneWaySpec{}), "no impairment");
  EXPECT_EQ(to_string(OneWaySpec{.delay = 20ms, .loss = RandomLoss{probability(0.02)}}),
            "20ms, loss 2%");
  EXPECT_EQ(to_string(OneWaySpec{.delay = 20ms,
                                 .jitter = 1500us,
                                 .rate = base::BitRate{10'000'000},
                                 .reorder = Reorder{probability(0.25), 5},
                                 .duplicate = probability(0.01),
                                 .corrupt = probability(0.001),
                                 .limit = 100}),
            "20ms, jitter 1.5ms, rate 10mbit, reorder 25% gap 5, duplicate 1%, corrupt 0.1%, "
            "limit 100 packets");
  EXPECT_EQ(
      to_string(OneWaySpec{
          .loss = GilbertElliottLoss{probability(0.01), probability(0.3), probability(0.9), {}}}),
      "loss gilbert-elliott p 1% r 30% 1-h 90% 1-k 0%");
}

}  // namespace
}  // namespace netns
