#include "harness/plan.hh"

#include "base/errors.hh"
#include "harness/plan_json.hh"
#include "harness/plan_text.hh"
#include "harness/scenario_error.hh"
#include "tests/harness/golden.hh"
#include "tests/harness/scenario_text.hh"
#include "tests/paths.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>

namespace harness {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

Plan plan_of(std::string_view text, const std::vector<std::string>& only = {}) {
  return make_plan(parse_scenario(text, "x.yaml"), only);
}

constexpr std::string_view kArms =
    "name: arms\nseed: 7\n"
    "path: { each_way: { delay: 20ms } }\n"
    "client: { transports: [do53, dot, doq], queries: 10 }\n"
    "block_queries: 4\n"
    "vary: { endpoint.retry: [never, always], path.family: [ipv4, ipv6] }\n"
    "expect: [{ cell: \"*\", metric: answered, within: [10, 10] }]\n";

std::vector<const PlannedQuery*> all_queries(const Plan& plan) {
  std::vector<const PlannedQuery*> queries;
  for (const PlannedBlock& block : plan.blocks)
    for (const PlannedQuery& query : block.queries) queries.push_back(&query);
  return queries;
}

TEST(Plan, AsksEveryCellEquallyOftenInEveryBlock) {
  const Plan plan = plan_of(kArms);
  EXPECT_EQ(plan.cells.size(), 12U);
  ASSERT_EQ(plan.blocks.size(), 3U);
  std::vector<std::size_t> sizes;
  for (const PlannedBlock& block : plan.blocks) {
    sizes.push_back(block.queries.size());
    std::map<std::uint32_t, std::size_t> count;
    for (const PlannedQuery& query : block.queries) ++count[query.cell];
    EXPECT_EQ(count.size(), 12U);
    for (const auto& [cell, times] : count) EXPECT_EQ(times, block.queries.size() / 12);
  }
  EXPECT_THAT(sizes, ElementsAre(48U, 36U, 36U));
}

TEST(Plan, VisitsAllCellsBeforeItVisitsOneAgain) {
  const Plan plan = plan_of(kArms);
  for (const PlannedBlock& block : plan.blocks) {
    for (std::size_t i = 0; i < block.queries.size(); i += 12) {
      std::set<std::uint32_t> cells;
      for (std::size_t j = 0; j < 12; ++j) cells.insert(block.queries[i + j].cell);
      EXPECT_EQ(cells.size(), 12U);
    }
  }
}

TEST(Plan, GivesEachQueryItsOwnNameSeedAndPort) {
  const Plan plan = plan_of(kArms);
  std::set<std::string> ids;
  std::set<base::Seed> seeds;
  for (const PlannedQuery* query : all_queries(plan)) {
    ids.insert(query->id);
    const netns::PathSeeds path = path_seeds(*query);
    seeds.insert({query->seed, path.to_server, path.to_client});
  }
  EXPECT_EQ(ids.size(), 120U);
  EXPECT_EQ(seeds.size(), 360U) << "the same seed in both directions loses the same packets";
  EXPECT_TRUE(ids.contains("retry=always,family=ipv6/doq:9"));
  std::uint16_t port = 10000;
  for (const PlannedQuery& query : plan.blocks[1].queries) EXPECT_EQ(query.local_port, port++);
}

TEST(Plan, PutsEachArmAtAnAddressOfItsOwn) {
  const Plan plan = plan_of(kArms);
  std::vector<std::string> addresses;
  for (const PlannedArm& arm : plan.arms) addresses.push_back(arm.server_address);
  EXPECT_THAT(addresses,
              ElementsAre("198.51.100.53", "2001:db8:53::54", "198.51.100.55", "2001:db8:53::56"));
  EXPECT_THAT(plan.client_addresses, ElementsAre("198.51.100.1", "2001:db8:53::1"));
  EXPECT_EQ(plan.arms[0].rtt, 40ms);
}

TEST(Plan, DependsOnTheSeedAlone) {
  EXPECT_EQ(plan_of(kArms), plan_of(kArms));
  const Plan one = plan_of(kArms);
  const Plan other =
      make_plan(parse_scenario(kArms, "x.yaml", {.assignments = {"seed=8"}, .blocks = {}}));
  EXPECT_NE(one.blocks[0].seed, other.blocks[0].seed);
  EXPECT_NE(one.blocks[0].queries[0].seed, other.blocks[0].queries[0].seed);
}

TEST(Plan, MoreQueriesLeaveTheFirstBlockAsItWas) {
  const auto first_block = [](const char* queries) {
    return make_plan(parse_scenario(
                         kSmall, "x.yaml",
                         {.assignments = {std::string("client.queries=") + queries}, .blocks = {}}))
        .blocks[0];
  };
  EXPECT_EQ(first_block("50"), first_block("300"));
}

TEST(Plan, SelectionKeepsNamesPortsAndSeeds) {
  const Plan whole = plan_of(kArms);
  std::map<std::string, PlannedQuery> by_id;
  for (const PlannedQuery* query : all_queries(whole)) by_id.emplace(query->id, *query);
  const Plan part = plan_of(kArms, {"retry=always,family=ipv4/doq", "dot"});
  EXPECT_EQ(part.cells.size(), 5U);
  EXPECT_EQ(part.claims.size(), 5U);
  EXPECT_EQ(part.blocks.size(), 3U);
  for (const PlannedQuery* query : all_queries(part)) {
    EXPECT_EQ(query->seed, by_id.at(query->id).seed);
    EXPECT_EQ(query->local_port, by_id.at(query->id).local_port);
  }
  const Plan arm = plan_of(kArms, {"retry=always,family=ipv6"});
  EXPECT_EQ(arm.cells.size(), 3U);
  ASSERT_EQ(arm.arms.size(), 1U);
  EXPECT_EQ(arm.arms[0].server_address, "2001:db8:53::56");
  EXPECT_THAT(arm.client_addresses, ElementsAre("2001:db8:53::1"));
}

TEST(Plan, SelectionOfNothingIsAnError) {
  try {
    plan_of(kSmall, {"dot"});
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("--only dot: no such cell"));
  }
}

struct FloorRow {
  const char* name;
  std::string endpoint;
  int do53, dot, doh2, doh3, doq;
};

class Floor : public testing::TestWithParam<FloorRow> {};

TEST_P(Floor, FollowsTheConfiguration) {
  const FloorRow& row = GetParam();
  const Plan plan = plan_of(
      "name: f\npath: { each_way: { delay: 20ms } }\n"
      "client: { transports: [do53, dot, doh2, doh3, doq], queries: 1, key_exchange: [X25519, "
      "P-256] }\nendpoint: { " +
      row.endpoint + " }\n");
  std::vector<int> floors;
  for (const PlannedCell& cell : plan.cells) {
    floors.push_back(cell.floor_round_trips);
    EXPECT_EQ(cell.floor, cell.floor_round_trips * 40ms);
  }
  EXPECT_THAT(floors, ElementsAre(row.do53, row.dot, row.doh2, row.doh3, row.doq));
}

INSTANTIATE_TEST_SUITE_P(
    All, Floor,
    testing::Values(
        FloorRow{"plain", "key_exchange: [X25519]", 1, 3, 3, 2, 2},
        FloorRow{"retry", "key_exchange: [X25519], retry: always", 1, 3, 3, 3, 3},
        FloorRow{"hello_retry_request", "key_exchange: [P-256]", 1, 4, 4, 3, 3},
        FloorRow{"truncated", "key_exchange: [X25519], answer_bytes: 1233", 3, 3, 3, 2, 2},
        FloorRow{"fits", "key_exchange: [X25519], answer_bytes: 1232", 1, 3, 3, 2, 2},
        FloorRow{"stall_is_no_floor", "key_exchange: [X25519], certificate: { chain_bytes: 3900 }",
                 1, 3, 3, 2, 2}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(PlanJson, ReadsBackWhatItWrote) {
  const Plan plan = plan_of(
      "name: j\nsummary: \"a \\\"quoted\\\" one\"\nseed: 18446744073709551615\n"
      "path:\n  each_way: { delay: 20ms, jitter: 1ms, loss: 2%, rate: 10mbit, limit: 7 }\n"
      "  server_to_client: { loss: { model: gilbert-elliott, p: 1%, r: 20%, h: 30% }, "
      "reorder: { probability: 25%, gap: 5 }, duplicate: 1%, corrupt: 0.1% }\n"
      "endpoint: { answer_bytes: 300, retry: always }\n"
      "client: { transports: [do53, doq], queries: 3, method: POST, pmtud: true, padding: none }\n"
      "vary: { path.family: [ipv4, ipv6] }\n"
      "expect: [{ cell: \"*\", metric: rtts, within: [1, 2.5] }]\n");
  const std::string text = plan_to_json(plan);
  EXPECT_EQ(plan_from_json(text), plan);
  EXPECT_EQ(plan_to_json(plan_from_json(text)), text);
}

TEST(PlanJson, SaysWhatIsWrong) {
  const auto message_for = [](const char* pointer, const nlohmann::json& value) {
    nlohmann::json json = nlohmann::json::parse(plan_to_json(plan_of(kSmall)));
    json[nlohmann::json::json_pointer(pointer)] = value;
    try {
      static_cast<void>(plan_from_json(json.dump()));
    } catch (const base::LabError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(message_for("/format", 2), HasSubstr("plan.json: format: of another version"));
  EXPECT_THAT(message_for("/cells/0/arm", 5), HasSubstr("arm: no such arm"));
  EXPECT_THAT(message_for("/cells/0/transport", "dox"), HasSubstr("transport: unknown word"));
  EXPECT_THAT(message_for("/blocks/0/queries/0/cell", 9), HasSubstr("cell: no such cell"));
  EXPECT_THAT(message_for("/seed", 7), HasSubstr("seed: not a string"));
  EXPECT_THAT(message_for("/arms/0/path/to_client/duplicate", 1.5),
              HasSubstr("duplicate: not a probability"));
  EXPECT_THROW(static_cast<void>(plan_from_json("{")), base::LabError);
}

TEST(Plan, FloorsFollowWhatAQueryFinds) {
  const auto floors = [](const std::string& connection, const std::string& endpoint = {}) {
    const Plan plan = plan_of("name: x\nendpoint: { tickets: 1" + endpoint +
                              " }\nclient: { transports: [do53, dot, doh2, doh3, doq], queries: 1, "
                              "connection: " +
                              connection + " }\n");
    std::vector<int> round_trips;
    for (const PlannedCell& cell : plan.cells) round_trips.push_back(cell.floor_round_trips);
    return round_trips;
  };
  EXPECT_THAT(floors("cold"), ElementsAre(1, 3, 3, 2, 2));
  EXPECT_THAT(floors("warm"), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(floors("warm", ", retry: always"), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(floors("resumed"), ElementsAre(1, 3, 3, 2, 2));
  EXPECT_THAT(floors("early-data", ", early_data: accept"), ElementsAre(1, 2, 2, 1, 1));
  EXPECT_THAT(floors("early-data", ", early_data: accept, retry: always"),
              ElementsAre(1, 2, 2, 2, 2));
  EXPECT_THAT(floors("early-data", ", early_data: reject"), ElementsAre(1, 3, 3, 2, 2));
  // The share that the client sends is not the server's: a HelloRetryRequest, which refuses it.
  EXPECT_THAT(floors("early-data, key_exchange: [P-256, X25519]",
                     ", early_data: accept, key_exchange: [X25519]"),
              ElementsAre(1, 4, 4, 3, 3));
}

// kdig sends two key shares, so that two groups of the server's cost no round trip.
TEST(Plan, FloorsFollowTheSharesOfTheClient) {
  const auto floor = [](const std::string& program, const std::string& group) {
    return plan_of("name: x\nendpoint: { key_exchange: [" + group +
                   "] }\nclient: { transports: [dot], queries: 1, program: " + program + " }\n")
        .cells.at(0)
        .floor_round_trips;
  };
  EXPECT_EQ(floor("kdig", "X25519"), 3);
  EXPECT_EQ(floor("kdig", "P-256"), 3);
  EXPECT_EQ(floor("kdig", "P-384"), 4);
  EXPECT_EQ(floor("dig, key_exchange: [X25519, P-256]", "P-256"), 4);
}

TEST(Plan, AQueryThatMovesOrComesBackHasTwoPorts) {
  const Plan plan = plan_of(
      "name: x\nendpoint: { tickets: 1 }\nclient: { transports: [do53, doq], queries: 2 }\n"
      "vary: { client.connection: [warm, resumed] }\n");
  std::vector<std::uint16_t> ports;
  for (const PlannedQuery* query : all_queries(plan)) ports.push_back(query->local_port);
  EXPECT_THAT(ports, ElementsAre(10000, 10002, 10004, 10006, 10008, 10010, 10012, 10014));
  // Do53 finds nothing.
  for (const PlannedBlock& block : plan.blocks)
    for (const PlannedQuery& query : block.queries) {
      const auto line = nlohmann::json::parse(request_line(plan, block, query, {}, Step::kMeasure));
      const bool do53 = plan.cells[query.cell].transport == Transport::kDo53;
      EXPECT_EQ(line["connection"] == "cold", do53) << query.id;
    }
}

TEST(RequestLine, HasWhatLabqueryReads) {
  const Plan plan = plan_of(kArms);
  const PlannedBlock& block = plan.blocks[2];
  const PlannedQuery& query = block.queries[0];
  const std::string line = request_line(plan, block, query, "/run/ca.pem", Step::kMeasure);
  EXPECT_TRUE(line.ends_with("}\n"));
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  const nlohmann::json json = nlohmann::json::parse(line);
  EXPECT_EQ(json["id"], query.id);
  EXPECT_EQ(json["block"], 2);
  EXPECT_EQ(json["seed"], std::to_string(query.seed));
  EXPECT_EQ(json["local_port"], 10000);
  EXPECT_EQ(json["server_name"], "dns.lab.test");
  EXPECT_EQ(json["question"], nlohmann::json({{"name", "a.lab.test"}, {"type", "A"}}));
  EXPECT_EQ(json["timeout_ns"], 10'000'000'000);
  EXPECT_EQ(json["ca_file"], "/run/ca.pem");
  EXPECT_EQ(json["connection"], "cold");
  EXPECT_EQ(json["prepare"], false);
  const auto bare = nlohmann::json::parse(request_line(plan, block, query, {}, Step::kPrepare));
  EXPECT_TRUE(bare["ca_file"].is_null());
  EXPECT_EQ(bare["prepare"], true);
}

TEST(Golden, PlansOfTheShippedScenarios) {
  for (const char* name : {"handshake", "loss2pct", "smoke", "initial_rtt", "packets",
                           "keyexchange", "retry", "amplification", "losstail"}) {
    const Plan plan = make_plan(
        load_scenario(tests::source_folder() / "scenarios" / (name + std::string(".yaml"))));
    expect_golden(std::string("plan-") + name + ".txt", describe(plan));
  }
  expect_golden("plan-small.json", plan_to_json(plan_of(kSmall)));
}

}  // namespace
}  // namespace harness
