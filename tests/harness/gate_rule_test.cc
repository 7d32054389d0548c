#include "harness/gate_rule.hh"

#include "base/errors.hh"
#include "harness/plan_differences.hh"
#include "harness/plan_json.hh"
#include "harness/plan_text.hh"
#include "tests/harness/scenario_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace harness {
namespace {

using namespace std::chrono_literals;
using analysis::End;
using analysis::Meaning;
using captures::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Scenario with(const std::string& added, const Overrides& overrides = {}) {
  return parse_scenario("name: x\nclient: { transports: [do53, dot, doq], queries: 4 }\n" + added,
                        "x.yaml", overrides);
}

GateSettings gate_of(const std::string& value, const Overrides& overrides = {}) {
  return with("gate: " + value + "\n", overrides).arms.at(0).settings.gate;
}

std::vector<std::string> words_of(const GateSettings& gate) {
  std::vector<std::string> words;
  for (const GateRule& rule : gate.rules) words.push_back(rule.text);
  return words;
}

std::vector<std::string> arms_of(const std::string& value) {
  std::vector<std::string> names;
  for (const Arm& arm : with("vary: { gate: " + value + " }\n").arms) names.push_back(arm.name);
  return names;
}

TEST(GateRules, IsOffUnlessAskedFor) {
  EXPECT_EQ(with("").arms[0].settings.gate, GateSettings{});
  EXPECT_EQ(gate_of("off"), GateSettings{});
  const GateSettings passing{.on = true, .rules = {}};
  EXPECT_EQ(gate_of("pass"), passing);
  EXPECT_EQ(gate_of("[]"), passing);
}

TEST(GateRules, ReadEveryField) {
  const GateSettings gate = gate_of(
      "\n"
      "  - drop: { from: server, is: [tls-server-hello, quic-initial], part: last, nth: 2,"
      " times: 3, after: quic-retry }\n"
      "  - delay: { from: client, ordinal: 4, by: 2ms }\n"
      "  - drop: { from: server, after: handshake-complete, times: all }\n"
      "  - reorder: { from: client, is: syn, behind: 5 }\n");
  ASSERT_EQ(gate.rules.size(), 4U);
  EXPECT_TRUE(gate.on);
  EXPECT_EQ(gate.rules[0],
            (GateRule{.verdict = Verdict::kDrop,
                      .from = End::kServer,
                      .is = {Meaning::kQuicInitial, Meaning::kServerHello},
                      .part = Part::kLast,
                      .after = After{Meaning::kQuicRetry},
                      .ordinal = {},
                      .nth = 2,
                      .times = 3,
                      .text = "drop server quic-initial+tls-server-hello (last part) after "
                              "quic-retry, 2nd to 4th"}));
  EXPECT_EQ(gate.rules[1].verdict, Verdict::kDelay);
  EXPECT_EQ(gate.rules[1].ordinal, 4U);
  EXPECT_EQ(gate.rules[1].by, 2ms);
  EXPECT_EQ(gate.rules[2].after, After{});
  EXPECT_FALSE(gate.rules[2].times);
  EXPECT_EQ(gate.rules[3].behind, 5U);
}

TEST(GateRules, OneNeedsNoList) {
  EXPECT_EQ(gate_of("{ drop: { from: client } }"), gate_of("[ drop: { from: client } ]"));
}

TEST(GateRules, AreSaidInOneLine) {
  EXPECT_THAT(
      words_of(gate_of("\n"
                       "  - drop: { from: server, is: quic-initial, nth: 2 }\n"
                       "  - drop: { from: client, is: tls-client-hello, part: last, times: 3 }\n"
                       "  - drop: { from: client, is: dns-query, part: whole, times: all }\n"
                       "  - drop: { from: client, nth: 11, times: all }\n"
                       "  - delay: { from: client, ordinal: 1, by: 2ms }\n"
                       "  - delay: { from: client, by: 1.5s, nth: 3 }\n"
                       "  - drop: { from: server, after: handshake-complete }\n"
                       "  - duplicate: { from: server, is: dns-answer }\n"
                       "  - reorder: { from: client, ordinal: 2 }\n")),
      ElementsAre("drop server quic-initial, 2nd",
                  "drop client tls-client-hello (last part), 1st to 3rd",
                  "drop client dns-query (whole), all", "drop client packet, all from the 11th",
                  "delay client packet 1, by 2ms", "delay client packet, 3rd, by 1.5s",
                  "drop server packet after handshake-complete, 1st",
                  "duplicate server dns-answer, 1st", "reorder client packet 2, behind 1"));
}

TEST(GateRules, ComeFromOptionsToo) {
  const auto option = [](std::string text) {
    return Overrides{.assignments = {std::move(text)}, .blocks = {}};
  };
  EXPECT_FALSE(gate_of("pass", option("gate=off")).on);
  EXPECT_THAT(words_of(gate_of("off", option("gate=[drop: { from: client, is: syn }]"))),
              ElementsAre("drop client syn, 1st"));
  const Scenario varied = with("", option("vary.gate=[off, drop: { from: client }]"));
  ASSERT_EQ(varied.arms.size(), 2U);
  EXPECT_EQ(varied.arms[1].name, "gate=drop+client");
}

TEST(GateArms, AreNamedByVerdictAndFields) {
  EXPECT_THAT(arms_of("[off, pass, drop: { from: client, is: syn }]"),
              ElementsAre("gate=off", "gate=pass", "gate=drop+client+syn"));
  EXPECT_THAT(arms_of("[[]]"), ElementsAre("gate=pass"));
  EXPECT_THAT(arms_of("[[drop: { from: client, is: syn },"
                      "  delay: { by: 2ms, ordinal: 3, from: server }]]"),
              ElementsAre("gate=drop+client+syn+delay+server+packet-3+2ms"));
  EXPECT_THAT(
      arms_of("[drop: { from: server, is: [quic-initial, tls-server-hello] },"
              " drop: { from: client, is: dns-query, part: first },"
              " drop: { from: client, nth: 2 }, drop: { from: client, times: 2 },"
              " drop: { from: client, times: all },"
              " drop: { from: server, after: handshake-complete },"
              " reorder: { from: client, behind: 2 }]"),
      ElementsAre("gate=drop+server+quic-initial+tls-server-hello",
                  "gate=drop+client+dns-query+first", "gate=drop+client+nth-2",
                  "gate=drop+client+times-2", "gate=drop+client+times-all",
                  "gate=drop+server+after-handshake-complete", "gate=reorder+client+behind-2"));
}

TEST(GateArms, StandInCellsBesideOtherKeys) {
  const Scenario scenario = with(
      "vary: { endpoint.retry: [always], gate: [drop: { from: server, is: quic-retry }] }\n"
      "expect: [{ cell: \"*/doq\", metric: answered, within: [4, 4] }]\n");
  EXPECT_EQ(cell_name(scenario.arms.at(0), Transport::kDoq),
            "retry=always,gate=drop+server+quic-retry/doq");
  EXPECT_EQ(scenario.claims.size(), 1U);
}

constexpr const char* kGates =
    "vary:\n  gate:\n"
    "    - off\n"
    "    - pass\n"
    "    - - drop: { from: server, is: [quic-initial, tls-server-hello], part: middle, nth: 2,"
    " times: all, after: quic-retry }\n"
    "      - delay: { from: client, ordinal: 1, by: 2ms }\n"
    "      - reorder: { from: client, after: handshake-complete, behind: 3 }\n";

TEST(GatePlan, ReadsBackWhatItWrote) {
  const Plan plan = make_plan(with(kGates));
  ASSERT_EQ(plan.arms.size(), 3U);
  EXPECT_FALSE(plan.arms[0].gate.on);
  EXPECT_TRUE(plan.arms[1].gate.on);
  EXPECT_EQ(plan.arms[2].gate.rules.size(), 3U);
  EXPECT_EQ(plan_from_json(plan_to_json(plan)), plan);
}

TEST(GatePlan, OlderPlansHaveNoGate) {
  nlohmann::json json = nlohmann::json::parse(plan_to_json(make_plan(with("gate: pass\n"))));
  json["arms"][0].erase("gate");
  EXPECT_FALSE(plan_from_json(json.dump()).arms[0].gate.on);
}

TEST(GatePlan, SaysWhatIsWrong) {
  const auto message_for = [](const char* key, const nlohmann::json& value) {
    nlohmann::json json =
        nlohmann::json::parse(plan_to_json(make_plan(with("gate: { drop: { from: client } }\n"))));
    json["arms"][0]["gate"]["rules"][0][key] = value;
    try {
      static_cast<void>(plan_from_json(json.dump()));
    } catch (const base::LabError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(message_for("verdict", "pass"), HasSubstr("verdict: unknown word"));
  EXPECT_THAT(message_for("from", "router"), HasSubstr("from: unknown word"));
  EXPECT_THAT(message_for("is", {"syn", "sin"}), HasSubstr("is: unknown word"));
  EXPECT_THAT(message_for("part", "end"), HasSubstr("part: unknown word"));
  EXPECT_THAT(message_for("after", "noon"), HasSubstr("after: unknown word"));
  EXPECT_THAT(message_for("nth", "2"), HasSubstr("nth: not an integer in range"));
}

TEST(GatePlan, IsPrintedWhereThereIsOne) {
  EXPECT_THAT(describe(make_plan(with(""))), Not(HasSubstr("gate")));
  EXPECT_THAT(describe(make_plan(with("gate: pass\n"))), HasSubstr("\n  gate        passes"));
  EXPECT_THAT(describe(make_plan(with("gate: [drop: { from: client }, drop: { from: server }]\n"))),
              HasSubstr("\n  gate        drop client packet, 1st\n"
                        "              drop server packet, 1st\n"));
}

TEST(GatePlan, DiffersInTheWordsOfItsRules) {
  const Plan none = make_plan(with(""));
  EXPECT_THAT(plan_differences(none, make_plan(with("gate: pass\n"))),
              ElementsAre("gate off / pass"));
  EXPECT_THAT(plan_differences(none, make_plan(with("gate: { drop: { from: client } }\n"))),
              ElementsAre("gate off / drop client packet, 1st"));
  EXPECT_THAT(plan_differences(
                  none, make_plan(with("gate: { drop: { from: server, is: tls-certificate } }\n"))),
              ElementsAre("gate off / drop server tls-certificate, 1st"));
  EXPECT_THAT(plan_differences(none, make_plan(with("gate: [drop: { from: client, nth: 2 },"
                                                    " drop: { from: server, nth: 2 }]\n"))),
              ElementsAre("gate"))
      << "long values say less than their key";
}

}  // namespace
}  // namespace harness
