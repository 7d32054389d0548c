#include "harness/scenario.hh"

#include "tests/harness/scenario_text.hh"
#include "tests/paths.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace harness {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> arm_names(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const Arm& arm : scenario.arms) names.push_back(arm.name);
  return names;
}

TEST(Scenario, FillsInTheDefaults) {
  const Scenario scenario = parse_scenario(kSmall, "x.yaml");
  EXPECT_EQ(scenario.name, "small");
  EXPECT_EQ(scenario.seed, 1U);
  EXPECT_EQ(scenario.mtu, 1500U);
  EXPECT_EQ(scenario.queries, 4U);
  EXPECT_EQ(scenario.blocks, 1U);
  EXPECT_THAT(scenario.transports, ElementsAre(Transport::kDo53, Transport::kDoq));
  ASSERT_EQ(scenario.arms.size(), 1U);
  EXPECT_EQ(scenario.arms[0].name, "");
  const Settings& settings = scenario.arms[0].settings;
  EXPECT_EQ(settings.family, Family::kIpv4);
  EXPECT_EQ(settings.path, netns::PathSpec{});
  EXPECT_EQ(settings.endpoint.server, "labdns");
  EXPECT_EQ(settings.endpoint.chain_bytes.bytes, 2000U);
  EXPECT_EQ(settings.endpoint.key, "ecdsa-p256");
  EXPECT_THAT(settings.endpoint.key_exchange, ElementsAre("X25519MLKEM768", "X25519"));
  EXPECT_EQ(settings.endpoint.retry, Retry::kNever);
  EXPECT_THAT(settings.endpoint.zone, ElementsAre("a.lab.test 60 A 192.0.2.1"));
  EXPECT_FALSE(settings.endpoint.answer_bytes);
  EXPECT_EQ(settings.endpoint.udp_limit.bytes, 1232U);
  EXPECT_EQ(settings.client.question, (Question{"a.lab.test", "A"}));
  EXPECT_EQ(settings.client.timeout, 10s);
  EXPECT_EQ(settings.client.initial_rtt, 333ms);
  EXPECT_EQ(settings.client.key_exchange, settings.endpoint.key_exchange);
  EXPECT_EQ(settings.client.method, HttpMethod::kGet);
  EXPECT_EQ(settings.client.padding, Padding::kRfc8467);
  EXPECT_EQ(settings.client.max_udp_payload.bytes, 1200U);
  EXPECT_FALSE(settings.client.pmtud);
}

TEST(Scenario, ReadsEachImpairment) {
  const Scenario scenario = parse_scenario(
      "name: p\n"
      "client: { transports: doq, queries: 1 }\n"
      "path:\n"
      "  each_way: { delay: 20ms, jitter: 2ms, loss: 2%, rate: 10mbit, duplicate: 1%, limit: 50 }\n"
      "  server_to_client:\n"
      "    loss: { model: gilbert-elliott, p: 1%, r: 20%, h: 10%, k: 99.5% }\n"
      "    reorder: { probability: 25%, gap: 5 }\n"
      "    corrupt: 0.001\n"
      "    rate: unlimited\n",
      "x.yaml");
  const netns::PathSpec& path = scenario.arms[0].settings.path;
  EXPECT_EQ(path.to_server.delay, 20ms);
  EXPECT_EQ(path.to_server.jitter, 2ms);
  EXPECT_EQ(path.to_server.loss,
            netns::LossModel(netns::RandomLoss{*base::Probability::from(0.02)}));
  EXPECT_EQ(path.to_server.rate, base::BitRate{10'000'000});
  EXPECT_EQ(path.to_server.limit, 50U);
  EXPECT_FALSE(path.to_server.reorder);
  EXPECT_EQ(path.to_client.delay, 20ms) << "each_way holds where a direction says nothing";
  EXPECT_FALSE(path.to_client.rate) << "a direction's own value replaces it";
  const auto& burst = std::get<netns::GilbertElliottLoss>(path.to_client.loss);
  EXPECT_DOUBLE_EQ(burst.good_to_bad.value(), 0.01);
  EXPECT_DOUBLE_EQ(burst.bad_to_good.value(), 0.2);
  EXPECT_DOUBLE_EQ(burst.loss_in_bad.value(), 0.9);
  EXPECT_NEAR(burst.loss_in_good.value(), 0.005, 1e-12);
  ASSERT_TRUE(path.to_client.reorder);
  EXPECT_EQ(path.to_client.reorder->gap, 5U);
  EXPECT_DOUBLE_EQ(path.to_client.corrupt.value(), 0.001);
}

TEST(Scenario, MultipliesTheVariedKeysOut) {
  const Scenario scenario = parse_scenario(
      "name: v\nclient: { transports: [doq], queries: 1 }\n"
      "vary:\n  endpoint.retry: [never, always]\n"
      "  endpoint.key_exchange: [X25519, [P-256, X25519]]\n",
      "x.yaml");
  EXPECT_THAT(
      arm_names(scenario),
      ElementsAre("retry=never,key_exchange=X25519", "retry=never,key_exchange=P-256+X25519",
                  "retry=always,key_exchange=X25519", "retry=always,key_exchange=P-256+X25519"));
  EXPECT_EQ(scenario.arms[3].settings.endpoint.retry, Retry::kAlways);
  EXPECT_THAT(scenario.arms[3].settings.client.key_exchange, ElementsAre("P-256", "X25519"))
      << "the client follows its arm's server";
  EXPECT_EQ(cell_name(scenario.arms[0], Transport::kDoq), "retry=never,key_exchange=X25519/doq");
}

TEST(Scenario, TellsVariedKeysOfOneNameApart) {
  const Scenario scenario = parse_scenario(
      "name: v\nclient: { transports: [doq], queries: 1 }\n"
      "vary:\n  path.client_to_server.loss: [0%]\n  path.server_to_client.loss: [2%]\n",
      "x.yaml");
  EXPECT_THAT(arm_names(scenario),
              ElementsAre("client_to_server.loss=0%,server_to_client.loss=2%"));
}

TEST(Scenario, SplitsQueriesIntoBlocks) {
  const auto blocks = [](const std::string& queries, const Overrides& overrides = {}) {
    return parse_scenario("name: b\nclient: { transports: [doq], queries: " + queries + " }\n",
                          "x.yaml", overrides)
        .blocks;
  };
  EXPECT_EQ(blocks("1"), 1U);
  EXPECT_EQ(blocks("50"), 1U);
  EXPECT_EQ(blocks("51"), 2U);
  EXPECT_EQ(blocks("300"), 6U);
  EXPECT_EQ(blocks("300", {.assignments = {"block_queries=100"}, .blocks = {}}), 3U);
  EXPECT_EQ(blocks("300", {.assignments = {}, .blocks = 7}), 7U);
}

TEST(Scenario, OptionsReplaceWhatTheFileSets) {
  const Scenario scenario =
      parse_scenario(kSmall, "x.yaml",
                     {.assignments = {"client.queries=9", "seed=5", "client.queries=10",
                                      "path.each_way={delay: 3ms, loss: 1%}",
                                      "vary.endpoint.retry=[never, always]",
                                      "expect=[{cell: \"*\", metric: answered, within: [10, 10]}]"},
                      .blocks = {}});
  EXPECT_EQ(scenario.queries, 10U) << "the last one counts";
  EXPECT_EQ(scenario.seed, 5U);
  EXPECT_EQ(scenario.arms[0].settings.path.to_client.delay, 3ms);
  EXPECT_THAT(arm_names(scenario), ElementsAre("retry=never", "retry=always"));
  EXPECT_EQ(scenario.claims.size(), 4U);
}

TEST(Scenario, EmptyVaryOptionEndsTheVarying) {
  const std::string text = std::string(kSmall) + "vary: { endpoint.retry: [never, always] }\n";
  const Scenario scenario =
      parse_scenario(text, "x.yaml", {.assignments = {"vary={}"}, .blocks = {}});
  EXPECT_THAT(arm_names(scenario), ElementsAre(""));
}

TEST(Scenario, ReadsClaimsInTheMetricsUnit) {
  const Scenario scenario = parse_scenario(
      "name: c\nclient: { transports: [dot, doq], queries: 1 }\n"
      "expect:\n"
      "  - { cell: dot, metric: p99_minus_p50, within: [950ms, 1400ms] }\n"
      "  - { cell: \"d*\", metric: no_answer_rate, within: [1%, 0.03] }\n"
      "  - { cell: doq, metric: rtts, within: [2, 2.5] }\n",
      "x.yaml");
  ASSERT_EQ(scenario.claims.size(), 4U);
  EXPECT_EQ(scenario.claims[0], (Claim{"dot", "p99_minus_p50", 950e6, 1400e6, "x.yaml:4:5"}));
  EXPECT_EQ(scenario.claims[1].cell, "dot");
  EXPECT_EQ(scenario.claims[2].cell, "doq");
  EXPECT_DOUBLE_EQ(scenario.claims[2].high, 0.03);
  EXPECT_DOUBLE_EQ(scenario.claims[3].high, 2.5);
}

TEST(Scenario, ReadsAFile) {
  EXPECT_EQ(load_scenario(tests::source_folder() / "scenarios/loss2pct.yaml").queries, 300U);
  EXPECT_THROW(load_scenario(tests::source_folder() / "scenarios"), ScenarioError);
  EXPECT_THROW(load_scenario("/dev/zero"), ScenarioError) << "endless";
  try {
    load_scenario("no/such.yaml");
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("no/such.yaml: No such file or directory"));
  }
}

}  // namespace
}  // namespace harness
