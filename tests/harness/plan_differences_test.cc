#include "harness/plan_differences.hh"

#include "harness/scenario.hh"
#include "tests/harness/scenario_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Plan plan_with(const std::string& text, const std::vector<std::string>& assignments = {}) {
  Overrides overrides;
  overrides.assignments = assignments;
  return make_plan(parse_scenario(text, "x.yaml", overrides));
}

Plan small(const std::vector<std::string>& assignments = {}) {
  return plan_with(std::string(kSmall), assignments);
}

TEST(PlanDifferences, SeedsAndClaimsAreNone) {
  EXPECT_THAT(plan_differences(small(), small()), IsEmpty());
  EXPECT_THAT(plan_differences(small(), small({"seed=7"})), IsEmpty());
  EXPECT_THAT(
      plan_differences(small(),
                       small({"expect=[{ cell: doq, metric: no_answer_rate, within: [0%, 0%] }]"})),
      IsEmpty());
}

TEST(PlanDifferences, NamesKeysWithBothValues) {
  EXPECT_THAT(plan_differences(small(), small({"client.initial_rtt=100ms", "endpoint.retry=always",
                                               "client.queries=7", "path.mtu=1400"})),
              ElementsAre("mtu 1500 / 1400", "queries 4 / 7", "client.initial_rtt 333ms / 100ms",
                          "server.retry never / always"));
}

TEST(PlanDifferences, LossThatOnlyOneHas) {
  EXPECT_THAT(plan_differences(small({"path.each_way.loss=0%"}), small({"path.each_way.loss=2%"})),
              ElementsAre("path.to_server.loss", "path.to_client.loss"));
}

TEST(PlanDifferences, ArmsAreMatchedByNameAndSayAThingOnce) {
  const std::string arms = std::string(kSmall) + "vary: { endpoint.retry: [never, always] }\n";
  EXPECT_THAT(plan_differences(plan_with(arms), plan_with(arms, {"client.timeout=5s"})),
              ElementsAre("client.timeout 10s / 5s"));
  // One arm of B less.
  const std::string one = std::string(kSmall) + "vary: { endpoint.retry: [always] }\n";
  EXPECT_THAT(plan_differences(plan_with(arms), plan_with(one)), IsEmpty());
}

}  // namespace
}  // namespace harness
