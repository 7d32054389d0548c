#include "harness/gate_tally.hh"

#include "tests/harness/scenario_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace harness {
namespace {

using nlohmann::json;
using testing::IsEmpty;

// Arm 0 has no rules, arm 1 has two, arm 2 has one.
Plan gated() {
  return make_plan(parse_scenario(
      "name: x\nclient: { transports: [do53], queries: 4 }\nvary:\n  gate:\n    - pass\n"
      "    - [drop: { from: client, is: dns-query }, drop: { from: server, nth: 2 }]\n"
      "    - drop: { from: server }\n",
      "x.yaml"));
}

json figures(const GateTally& tally) {
  json list = json::array();
  for (const json& rule : tally.to_json()) list.push_back({rule["queries"], rule["packets"]});
  return list;
}

TEST(GateTally, NamesEveryRuleOfEveryArm) {
  const Plan plan = gated();
  EXPECT_EQ(GateTally(plan).to_json(), json::parse(R"([
              {"arm": ")" + plan.arms[1].name + R"(", "rule": "drop client dns-query, 1st",
               "queries": 0, "packets": 0},
              {"arm": ")" + plan.arms[1].name + R"(", "rule": "drop server packet, 2nd",
               "queries": 0, "packets": 0},
              {"arm": ")" + plan.arms[2].name + R"(", "rule": "drop server packet, 1st",
               "queries": 0, "packets": 0}])"));
  EXPECT_THAT(GateTally(make_plan(parse_scenario(kSmall, "x.yaml"))).to_json(), IsEmpty());
}

TEST(GateTally, CountsQueriesAndTheirPackets) {
  GateTally tally(gated());
  tally.add(1, std::array<std::uint64_t, 2>{3, 0});
  tally.add(1, std::array<std::uint64_t, 2>{2, 1});
  EXPECT_EQ(figures(tally), json::parse("[[2,5],[1,1],[0,0]]"));
  tally.add(2, std::array<std::uint64_t, 1>{7});
  tally.add(0, {});
  EXPECT_EQ(figures(tally), json::parse("[[2,5],[1,1],[1,7]]"));
}

TEST(GateTally, AddsUpBlocks) {
  GateTally one(gated());
  one.add(1, std::array<std::uint64_t, 2>{3, 0});
  GateTally both(gated());
  both.add(2, std::array<std::uint64_t, 1>{1});
  both.add(one.to_json());
  both.add(one.to_json());
  EXPECT_EQ(figures(both), json::parse("[[2,6],[0,0],[1,1]]"));
}

}  // namespace
}  // namespace harness
