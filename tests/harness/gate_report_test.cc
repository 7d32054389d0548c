#include "harness/gate_report.hh"

#include "tests/harness/scenario_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>

namespace harness {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::IsEmpty;

GateTally tally_of(const std::string& gate) {
  return GateTally(make_plan(
      parse_scenario("name: x\nclient: { transports: [do53], queries: 4 }\n" + gate, "x.yaml")));
}

const std::string kTwoRules =
    "gate: [drop: { from: client, is: dns-query }, drop: { from: server, nth: 2 }]\n";

TEST(GateReport, HasRulesAndDelays) {
  GateTally tally = tally_of(kTwoRules);
  tally.add(0, std::array<std::uint64_t, 2>{1, 0});
  const json gate = gate_json(tally, {12us, 3us, 4us});
  EXPECT_EQ(gate["rules"], tally.to_json());
  EXPECT_EQ(gate["added_delay_ns"], json::parse(R"({"median": 4000, "max": 12000})"));
  EXPECT_TRUE(gate_json(tally, {})["added_delay_ns"].is_null());
  EXPECT_EQ(gate_json(tally_of("gate: pass\n"), {})["rules"], json::array());
}

TEST(GateReport, NamesRulesThatNeverMatched) {
  GateTally tally = tally_of(kTwoRules);
  EXPECT_EQ(gate_text(tally, {}),
            "\"drop client dns-query, 1st\" never matched a packet\n"
            "\"drop server packet, 2nd\" never matched a packet");
  tally.add(0, std::array<std::uint64_t, 2>{1, 0});
  EXPECT_EQ(gate_text(tally, {}), "\"drop server packet, 2nd\" never matched a packet");
  tally.add(0, std::array<std::uint64_t, 2>{0, 3});
  EXPECT_THAT(gate_text(tally, {}), IsEmpty());
}

TEST(GateReport, NamesTheArmWhereTheGateVaries) {
  EXPECT_EQ(gate_text(tally_of("vary: { gate: [off, drop: { from: client }] }\n"), {}),
            "\"drop client packet, 1st\" of gate=drop+client never matched a packet");
}

TEST(GateReport, DelaysAreWorthALineFromTenMicrosecondsOn) {
  const GateTally tally = tally_of("gate: pass\n");
  EXPECT_THAT(gate_text(tally, {9'999ns, 1us}), IsEmpty());
  EXPECT_EQ(gate_text(tally, {10us, 1us}),
            "packets stood at it for 1us (median), 10us at most; that is part of every time above");
}

TEST(GateReport, ReadsBackWhatTheManifestHas) {
  const GateTally tally = tally_of(kTwoRules);
  const std::vector<base::Nanoseconds> delays{50us, 70us};
  EXPECT_EQ(gate_text(json::parse(gate_json(tally, delays).dump())), gate_text(tally, delays));
  EXPECT_THAT(gate_text(tally, delays), testing::HasSubstr("70us at most"));
}

}  // namespace
}  // namespace harness
