// Scenarios that labrun writes mean what they were made of.

#include "harness/scenario_text.hh"
#include "harness/settings_text.hh"
#include "tests/paths.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace harness {
namespace {

// With one of the arms, as if nothing had varied.
Scenario with_arm(const Scenario& scenario, const Arm& arm) {
  Scenario alone = scenario;
  alone.arms = {{.name = "", .settings = arm.settings}};
  alone.claims.clear();
  return alone;
}

void expect_survives(const Scenario& scenario) {
  for (const Arm& arm : scenario.arms) {
    const Scenario alone = with_arm(scenario, arm);
    const std::string text = to_yaml(alone, "One arm of many.\nSecond line.");
    const Scenario back = parse_scenario(text, "written.yaml");
    EXPECT_EQ(back.arms.at(0).settings, arm.settings) << text;
    EXPECT_EQ(back.name, alone.name);
    EXPECT_EQ(back.summary, alone.summary);
    EXPECT_EQ(back.seed, alone.seed);
    EXPECT_EQ(back.mtu, alone.mtu);
    EXPECT_EQ(back.transports, alone.transports);
    EXPECT_EQ(back.queries, alone.queries);
  }
}

TEST(WrittenScenario, HasEveryArmOfEveryShippedScenario) {
  std::size_t scenarios = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(tests::source_folder() / "scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    ++scenarios;
    expect_survives(load_scenario(entry.path()));
  }
  EXPECT_GE(scenarios, 9U);
}

TEST(WrittenScenario, HasEveryKey) {
  expect_survives(parse_scenario(R"(name: "null"
summary: "a \"quoted\" line with \\ and: #"
seed: 18446744073709551615
path:
  family: ipv6
  mtu: 1400
  client_to_server: { delay: 20.000001ms, jitter: 1.5us, loss: 57%, rate: 1234568bit, limit: 7 }
  server_to_client:
    delay: 1ns
    loss: { model: gilbert-elliott, p: 0.57, r: 0.1234567890123, h: 0.3, k: 0.99 }
    reorder: { probability: 25%, gap: 5 }
    duplicate: 0.000000000001
    corrupt: 0.57
endpoint:
  certificate: { chain_bytes: 3900, key: ed25519 }
  key_exchange: [X448, P-256]
  retry: always
  zone: ["a.lab.test 60 TXT \"a: b\"", b.lab.test 60 A 192.0.2.1]
  answer_bytes: 900
  padding: none
  udp_limit: 512
client:
  transports: [do53, dot, doh2, doh3, doq]
  question: a.lab.test TXT
  queries: 3
  timeout: 1.25s
  initial_rtt: 100ms
  key_exchange: P-256
  drain: 0ms
  method: POST
  padding: none
  max_udp_payload: 1252
  pmtud: true
gate:
  - drop: { from: server, is: [quic-initial, tls-server-hello], part: last, nth: 2, times: all }
  - delay: { from: client, ordinal: 3, by: 1234567ns }
  - duplicate: { from: server, after: handshake-complete, times: 3 }
  - reorder: { from: client, is: dns-query, behind: 2 }
)",
                                 "x.yaml"));
}

TEST(WrittenScenario, IsShort) {
  Scenario scenario = parse_scenario(
      "name: x\nclient: { transports: [doq], queries: 1 }\n"
      "path: { each_way: { delay: 20ms } }\n"
      "gate: [drop: { from: client, ordinal: 3 }]\n"
      "endpoint: { certificate: { chain_bytes: 3900 } }\n"
      "expect: [{ cell: doq, metric: max, within: [79.9ms, 80.1ms] }]\n",
      "x.yaml");
  EXPECT_EQ(to_yaml(scenario, "Why."),
            "# Why.\n"
            "name: x\n"
            "seed: 1\n"
            "path:\n"
            "  each_way: { delay: 20ms }\n"
            "endpoint:\n"
            "  certificate: { chain_bytes: 3900 }\n"
            "client:\n"
            "  transports: [doq]\n"
            "  queries: 1\n"
            "gate:\n"
            "  - drop: { from: client, ordinal: 3 }\n"
            "expect:\n"
            "  - { cell: doq, metric: max, within: [79.9ms, 80.1ms] }\n");
}

TEST(WrittenScenario, QuotesWhatCouldBeSomethingElse) {
  EXPECT_EQ(yaml_text("labdns"), "labdns");
  EXPECT_EQ(yaml_text("off"), "\"off\"");
  EXPECT_EQ(yaml_text("Null"), "\"Null\"");
  EXPECT_EQ(yaml_text("1e3"), "\"1e3\"");
  EXPECT_EQ(yaml_text("a: b"), "\"a: b\"");
  EXPECT_EQ(yaml_text("say \"x\\\""), "\"say \\\"x\\\\\\\"\"");
}

}  // namespace
}  // namespace harness
