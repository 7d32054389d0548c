#include "harness/gate_delay.hh"

#include "tests/harness/scenario_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace harness {
namespace {

using namespace std::chrono_literals;
using analysis::End;
using testing::ElementsAre;
using testing::IsEmpty;

Plan plan_with(const std::string& added) {
  return make_plan(
      parse_scenario("name: x\nclient: { transports: [do53], queries: 4 }\n" + added, "x.yaml"));
}

constexpr const char* kPath =
    "path: { client_to_server: { delay: 20ms }, server_to_client: { delay: 30ms } }\n";

analysis::SentPacket sent(End from, std::optional<base::Nanoseconds> delay) {
  analysis::SentPacket packet;
  packet.from = from;
  packet.fate.delay = delay;
  return packet;
}

// Of a query in this cell whose question took 20.005 ms and whose second answer 30.1 ms; the first
// was lost.
std::vector<base::Nanoseconds> delays_in(const Plan& plan, const std::string& cell = "do53") {
  analysis::BlockEvidence evidence;
  evidence.queries = {
      {sent(End::kClient, 20'005us), sent(End::kServer, {}), sent(End::kServer, 30'100us)}};
  captures::QueryRecord record;
  record.cell = cell;
  return gate_delays(plan, evidence, std::vector{record});
}

TEST(GateDelays, AreWhatPacketsTookBeyondTheirWay) {
  const Plan plan = plan_with(std::string(kPath) + "gate: pass\n");
  EXPECT_THAT(delays_in(plan), ElementsAre(5us, 100us));
  EXPECT_THAT(delays_in(plan, "doq"), IsEmpty()) << "no cell of this plan";
}

TEST(GateDelays, AreThoseOfArmsWithAGate) {
  EXPECT_THAT(delays_in(plan_with(kPath)), IsEmpty());
  const Plan plan = plan_with(std::string(kPath) + "vary: { gate: [off, pass] }\n");
  EXPECT_THAT(delays_in(plan, "gate=off/do53"), IsEmpty());
  EXPECT_THAT(delays_in(plan, "gate=pass/do53"), ElementsAre(5us, 100us));
}

TEST(GateDelays, AreNotJudgedWhereRulesHoldPacketsUp) {
  const auto with_rule = [](const std::string& rule) {
    return delays_in(plan_with(std::string(kPath) + "gate: { " + rule + " }\n"));
  };
  EXPECT_THAT(with_rule("drop: { from: client, nth: 2 }"), ElementsAre(5us, 100us));
  EXPECT_THAT(with_rule("duplicate: { from: client, nth: 2 }"), ElementsAre(5us, 100us));
  EXPECT_THAT(with_rule("delay: { from: client, nth: 2, by: 2ms }"), IsEmpty());
  EXPECT_THAT(with_rule("reorder: { from: server, nth: 2 }"), IsEmpty());
}

TEST(GateDelays, AreNotJudgedWhereThePathHoldsPacketsUp) {
  for (const char* way : {"client_to_server", "server_to_client"}) {
    for (const char* impairment : {"jitter: 1ms", "rate: 10mbit", "reorder: 1%"})
      EXPECT_THAT(delays_in(plan_with(std::string("gate: pass\npath: { ") + way +
                                      ": { delay: 20ms, " + impairment + " } }\n")),
                  IsEmpty())
          << way << ' ' << impairment;
    EXPECT_THAT(delays_in(plan_with(std::string("gate: pass\npath: { ") + way +
                                    ": { delay: 20ms, loss: 2%, duplicate: 1% } }\n")),
                testing::SizeIs(2))
        << way;
  }
}

TEST(GateDelaySummary, IsTheMiddleAndTheLongest) {
  EXPECT_FALSE(summarise({}));
  const auto expect = [](std::vector<base::Nanoseconds> delays, base::Nanoseconds median,
                         base::Nanoseconds longest) {
    const auto summary = summarise(std::move(delays));
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->median, median);
    EXPECT_EQ(summary->longest, longest);
  };
  expect({7us}, 7us, 7us);
  expect({9us, 1us, 5us}, 5us, 9us);
  expect({9us, 1us, 5us, 3us}, 3us, 9us);
}

}  // namespace
}  // namespace harness
