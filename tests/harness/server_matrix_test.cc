// What is asked of servers, what is made of their answers, and how that is printed.

#include "harness/server_matrix_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace harness {
namespace {

using namespace std::chrono_literals;
using captures::QueryRecord;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Kind = Ability::Kind;

constexpr base::Nanoseconds kFloor = 120ms;

QueryRecord answered(base::Nanoseconds time, const std::string& group = "") {
  QueryRecord record;
  record.outcome = captures::Outcome::kAnswered;
  record.time = time;
  if (!group.empty()) record.group = group;
  return record;
}

QueryRecord unanswered() {
  QueryRecord record;
  record.outcome = captures::Outcome::kNoAnswer;
  return record;
}

ProbedCell cell(Probe probe, Transport transport, std::vector<QueryRecord> records) {
  return {.probe = probe, .transport = transport, .floor = kFloor, .records = std::move(records)};
}

Ability one(const ProbedCell& probed, Aspect aspect, const std::string& server = "nginx") {
  return judge(server, "1.0", std::vector{probed}).at(aspect, probed.transport);
}

std::set<std::string> cells_of(const std::string& server) {
  std::set<std::string> names;
  for (const PlannedCell& planned : probes_of(server).plan.cells) names.insert(planned.name);
  return names;
}

TEST(ServerProbes, AskWhatTheCatalogueSaysMakesSense) {
  EXPECT_THAT(cells_of("unbound"),
              ElementsAre("cold/do53", "cold/doh2", "cold/dot", "ticket/doh2", "ticket/dot"));
  EXPECT_THAT(cells_of("knot"), ElementsAre("cold/do53", "cold/doq", "cold/dot", "early-data/doq",
                                            "early-data/dot", "ticket/doq", "ticket/dot"));
  EXPECT_THAT(cells_of("haproxy"), Contains("retry/doh3"));
  EXPECT_THAT(cells_of("haproxy"), Not(Contains("early-data/doh3")));
  EXPECT_THAT(cells_of("haproxy@testing"), Contains("early-data/doh3"));
}

TEST(ServerProbes, ArePlansWhoseBlocksStandAlone) {
  for (const endpoints::RealServer& server : endpoints::real_servers()) {
    const ServerProbes probes = probes_of(std::string(server.name));
    ASSERT_EQ(probes.of_arm.size(), probes.plan.arms.size());
    std::set<std::string> addresses;
    std::set<std::string> ids;
    for (const PlannedArm& arm : probes.plan.arms) addresses.insert(arm.server_address);
    EXPECT_EQ(addresses.size(), probes.plan.arms.size()) << server.name;
    std::size_t queries = 0;
    for (std::size_t number = 0; number < probes.plan.blocks.size(); ++number) {
      EXPECT_EQ(probes.plan.blocks[number].index, number);
      for (const PlannedQuery& query : probes.plan.blocks[number].queries) {
        ASSERT_LT(query.cell, probes.plan.cells.size());
        EXPECT_THAT(query.id, HasSubstr(probes.plan.cells[query.cell].name));
        ids.insert(query.id);
        ++queries;
      }
    }
    EXPECT_EQ(ids.size(), queries) << server.name;
  }
}

TEST(ServerMatrix, AnAnswerIsHeldAgainstItsFloor) {
  const Ability ability =
      one(cell(Probe::kCold, Transport::kDot, {answered(200ms), answered(121ms), answered(130ms)}),
          Aspect::kAnswers);
  EXPECT_EQ(ability, (Ability{.kind = Kind::kDoes, .over_floor = 10ms}));
}

TEST(ServerMatrix, EveryQueryMustBeAnswered) {
  QueryRecord refused = unanswered();
  refused.error = "connection refused";
  const Ability ability =
      one(cell(Probe::kCold, Transport::kDoh3, {answered(kFloor), unanswered(), refused}),
          Aspect::kAnswers);
  EXPECT_EQ(ability, (Ability{.kind = Kind::kFails,
                              .reason = "1 of 3 answered (connection refused)",
                              .over_floor = 0ms}));
}

TEST(ServerMatrix, WhatDidNotStartIsAFailureInWords) {
  ProbedCell broken = cell(Probe::kCold, Transport::kDoh2, {});
  broken.failure = "nginx ended before it was ready";
  EXPECT_EQ(one(broken, Aspect::kAnswers).reason, broken.failure);
  EXPECT_EQ(one(broken, Aspect::kPostQuantum).reason, broken.failure);
  EXPECT_FALSE(judge("nginx", "unknown", std::vector{broken}).keeps_promises());
}

TEST(ServerMatrix, ThePostQuantumGroupMustHaveBeenChosen) {
  const auto group = [](const std::string& name) {
    return cell(Probe::kCold, Transport::kDoh2, {answered(kFloor, name)});
  };
  EXPECT_EQ(one(group("X25519MLKEM768"), Aspect::kPostQuantum).kind, Kind::kDoes);
  EXPECT_EQ(one(group("X25519"), Aspect::kPostQuantum).reason, "it chose X25519");
  EXPECT_EQ(one(group(""), Aspect::kPostQuantum).reason, "no handshake came to its end");
  EXPECT_EQ(one(group("X25519"), Aspect::kPostQuantum, "knot-resolver").kind, Kind::kCannot);
}

TEST(ServerMatrix, RetryTicketAndEarlyDataMustShow) {
  EXPECT_EQ(one(cell(Probe::kRetry, Transport::kDoh3, {answered(kFloor)}), Aspect::kRetry).reason,
            "no Retry came");
  ProbedCell tickets = cell(Probe::kTicket, Transport::kDot, {answered(kFloor), answered(kFloor)});
  tickets.resumed = 1;
  EXPECT_EQ(one(tickets, Aspect::kTickets).reason, "1 of 2 handshakes resumed");
  tickets.resumed = 2;
  EXPECT_EQ(one(tickets, Aspect::kTickets).kind, Kind::kDoes);
  ProbedCell early = cell(Probe::kEarlyData, Transport::kDoh2, {unanswered()});
  EXPECT_EQ(one(early, Aspect::kEarlyData).reason, "refused, 0 of 1 answered");
  early.records.front().early_data.accepted = true;
  EXPECT_EQ(one(early, Aspect::kEarlyData).reason, "accepted, but 0 of 1 answered");
}

// A server that does some, does some late, and fails at some.
ServerRow mixed_row() {
  ServerRow row{.server = "haproxy", .version = "3.0.11"};
  const Ability well{.kind = Kind::kDoes, .over_floor = 3us};
  const Ability late{.kind = Kind::kDoes, .over_floor = 40'200us};
  row.at(Aspect::kAnswers, Transport::kDot) = well;
  row.at(Aspect::kAnswers, Transport::kDoh2) = late;
  row.at(Aspect::kAnswers, Transport::kDoh3) = {.kind = Kind::kFails, .reason = "0 of 3 answered"};
  row.at(Aspect::kRetry, Transport::kDoh3) = well;
  row.at(Aspect::kEarlyData, Transport::kDot) = late;
  row.at(Aspect::kPostQuantum, Transport::kDot) = well;
  row.at(Aspect::kPostQuantum, Transport::kDoh2) = {.kind = Kind::kFails, .reason = "it chose X"};
  for (const Transport transport : {Transport::kDot, Transport::kDoh2, Transport::kDoh3})
    row.at(Aspect::kTickets, transport) = well;
  return row;
}

TEST(ServerMatrixText, FailuresAreLoudAndExplained) {
  // The first line of what is expected begins behind the mark.
  EXPECT_EQ('\n' + render_servers(std::vector{mixed_row()}, Colors::kOff),
            R"(
server   version  do53    dot  doh2   doh3  doq  Retry  early data               PQ  tickets
haproxy   3.0.11     -  floor   +40  FAILS    -   doh3      dot+40  dot, doh2 FAILS      all

FAILS         haproxy, doh3: 0 of 3 answered
FAILS         haproxy, doh2, X25519MLKEM768: it chose X
floor         answers in the fewest round trips; +81: so many milliseconds more
PQ            key exchange X25519MLKEM768
-             cannot, or is not known to
)");
}

TEST(ServerMatrixText, MarkdownHasTheSameCells) {
  EXPECT_EQ(servers_markdown(std::vector{mixed_row()}),
            "| server | version | do53 | dot | doh2 | doh3 | doq | Retry | early data | PQ | "
            "tickets |\n"
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
            "| haproxy | 3.0.11 | - | floor | +40 | FAILS | - | doh3 | dot+40 | dot, doh2 FAILS | "
            "all |\n"
            "\n- FAILS: haproxy, doh3: 0 of 3 answered\n"
            "- FAILS: haproxy, doh2, X25519MLKEM768: it chose X\n");
}

TEST(ServerMatrixText, JsonHasEveryCell) {
  const auto json = nlohmann::json::parse(servers_json(std::vector{mixed_row()}));
  const nlohmann::json& server = json.at("servers").at(0);
  EXPECT_EQ(server.at("server"), "haproxy");
  EXPECT_EQ(server.at("keeps_promises"), false);
  const nlohmann::json& transports = server.at("transports");
  ASSERT_EQ(transports.size(), kAllTransports.size());
  for (const auto& of_one : transports) EXPECT_EQ(of_one.size(), kAspects.size());
  EXPECT_EQ(transports.at("doh2").at("answers").at("over_floor_ns"), 40'200'000);
  EXPECT_EQ(transports.at("doh3").at("answers").at("result"), "fails");
  EXPECT_EQ(transports.at("doh3").at("answers").at("reason"), "0 of 3 answered");
  EXPECT_EQ(transports.at("doq").at("answers").at("result"), "cannot");
}

}  // namespace
}  // namespace harness
