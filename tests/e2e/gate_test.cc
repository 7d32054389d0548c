// The packet gate in whole runs: it changes nothing that it is not told to, and what it is told to
// do it does and says.

#include "captures/packet_fate.hh"
#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace e2e {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::HasSubstr;

using FatesByQuery = std::map<std::string, std::vector<captures::PacketFate>>;

FatesByQuery read_fates(const std::filesystem::path& run) {
  FatesByQuery by_query;
  std::ifstream lines(run / "packets.jsonl");
  for (std::string line; std::getline(lines, line);) {
    auto fate = captures::parse_packet_fate(line);
    EXPECT_TRUE(fate.has_value()) << line;
    if (fate) by_query[fate->query].push_back(*fate);
  }
  return by_query;
}

std::uint64_t count(const std::vector<captures::PacketFate>& fates, const std::string& from) {
  return static_cast<std::uint64_t>(std::ranges::count(fates, from, &captures::PacketFate::from));
}

TEST(Gate, ThatPassesEverythingChangesNoTime) {
  const TemporaryFolder folder;
  const std::string plain = folder.path() / "plain";
  const std::string gated = folder.path() / "gated";
  const std::vector<std::string> common{"labrun", scenario("handshake"), "--queries", "3",
                                        "--quiet"};
  auto arguments = common;
  arguments.insert(arguments.end(), {"--out", plain});
  ASSERT_TRUE(run_program(arguments).status.succeeded());
  arguments = common;
  arguments.insert(arguments.end(), {"--out", gated, "--set", "gate=pass"});
  const Outcome outcome = run_program(arguments);
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  const auto without = read_records(plain);
  const auto with = read_records(gated);
  ASSERT_EQ(with.size(), without.size());
  auto fates = read_fates(gated);
  for (std::size_t index = 0; index < with.size(); ++index) {
    const captures::QueryRecord& record = with[index];
    ASSERT_EQ(record.id, without[index].id);
    ASSERT_TRUE(record.time && without[index].time) << record.id;
    EXPECT_LE(std::chrono::abs(*record.time - *without[index].time), microseconds(100))
        << record.id;
    // The log has every packet that the captures have.
    ASSERT_TRUE(record.wire.has_value());
    EXPECT_EQ(count(fates[record.id], "client"), record.wire->client.packets) << record.id;
    EXPECT_EQ(count(fates[record.id], "server"), record.wire->server.packets) << record.id;
  }
}

TEST(Gate, ThatPassesEverythingChangesNoTimeOfLossyLookups) {
  const TemporaryFolder folder;
  const std::string plain = folder.path() / "plain";
  const std::string gated = folder.path() / "gated";
  for (const auto& [run, gate] : {std::pair(plain, "off"), std::pair(gated, "pass")}) {
    const Outcome outcome =
        run_program({"labrun", scenario("loss2pct"), "--queries", "200", "--quiet", "--out", run,
                     "--set", std::string("gate=") + gate});
    ASSERT_NE(outcome.status.code, 3) << outcome.output;
  }
  const auto without = read_records(plain);
  const auto with = read_records(gated);
  ASSERT_EQ(with.size(), without.size());
  std::size_t lossy = 0;
  for (std::size_t index = 0; index < with.size(); ++index) {
    lossy += with[index].lost.empty() ? 0 : 1;
    ASSERT_EQ(with[index].time.has_value(), without[index].time.has_value()) << with[index].id;
    if (!with[index].time) continue;
    EXPECT_LE(std::chrono::abs(*with[index].time - *without[index].time), microseconds(100))
        << with[index].id;
  }
  EXPECT_GT(lossy, 200U);
}

TEST(Gate, PacketThatIsHeldBackForLongIsWaitedFor) {
  const TemporaryFolder folder;
  const std::filesystem::path run = folder.path() / "run";
  const Outcome outcome =
      run_program({"labrun", scenario("map"), "--queries", "2", "--only", "do53", "--out", run,
                   "--quiet", "--set", "client.timeout=60s", "--set",
                   "gate={ delay: { from: client, ordinal: 1, by: 50s } }"});
  // The scenario claims its floor.
  ASSERT_EQ(outcome.status.code, 1) << outcome.output;
  for (const captures::QueryRecord& record : read_records(run)) {
    ASSERT_TRUE(record.time.has_value()) << record.id;
    EXPECT_NEAR(static_cast<double>(record.time->count()) / 1e6, 50'040, 1) << record.id;
  }
}

TEST(Gate, LossesAreTheGatesInRecordsAndLog) {
  const TemporaryFolder folder;
  const std::filesystem::path run = folder.path() / "run";
  const Outcome outcome =
      run_program({"labrun", scenario("single-drops"), "--out", run, "--quiet"});
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  expect_files_fit_schemas(run);
  auto fates = read_fates(run);
  std::size_t drops = 0;
  for (const captures::QueryRecord& record : read_records(run)) {
    std::vector<captures::LostPacket> logged;
    for (const captures::PacketFate& fate : fates[record.id]) {
      EXPECT_EQ(fate.out.has_value(), fate.verdict != captures::Verdict::kDrop);
      if (fate.verdict != captures::Verdict::kDrop) continue;
      EXPECT_THAT(fate.reason, testing::StartsWith("drop "));
      logged.push_back({.from = fate.from, .ordinal = fate.ordinal, .by = "gate"});
    }
    drops += logged.size();
    EXPECT_EQ(record.lost, logged) << record.id;
  }
  EXPECT_GT(drops, 50U);
}

class GateScenario : public testing::TestWithParam<const char*> {};

TEST_P(GateScenario, HoldsItsClaims) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program({"labrun", scenario(GetParam()), "--out", folder.path() / "run", "--quiet"});
  EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
  EXPECT_THAT(outcome.output, Not(HasSubstr("not judged")));
}

INSTANTIATE_TEST_SUITE_P(GateShipped, GateScenario, testing::Values("clienthello-reorder", "map"));

TEST(Gate, RuleThatNeverMatchedIsReported) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"labrun", scenario("map"), "--queries", "2", "--only", "doq",
                                       "--out", folder.path() / "run", "--quiet", "--set",
                                       "gate={ drop: { from: server, is: quic-retry } }"});
  EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("\"drop server quic-retry, 1st\" never matched a packet"));
}

TEST(Gate, DuplicatesAndDelaysReachTheOtherEnd) {
  const TemporaryFolder folder;
  const std::filesystem::path run = folder.path() / "run";
  const Outcome outcome = run_program({"labrun", scenario("map"), "--queries", "2", "--only",
                                       "do53", "--out", run, "--quiet", "--set",
                                       "gate=[{ duplicate: { from: server, is: dns-answer } }, "
                                       "{ delay: { from: client, is: dns-query, by: 3ms } }]"});
  // The claim of the scenario is about an undisturbed exchange.
  ASSERT_EQ(outcome.status.code, 1) << outcome.output;
  const auto records = read_records(run);
  ASSERT_EQ(records.size(), 2U);
  for (const captures::QueryRecord& record : records) {
    ASSERT_TRUE(record.time.has_value());
    EXPECT_GE(*record.time, milliseconds(43));
    EXPECT_LE(*record.time, milliseconds(43) + microseconds(200));
  }
  const auto account = read_json(run / "manifest.json").at("fidelity").at("account");
  EXPECT_EQ(account.at("queries").at("server_to_client").at("duplicated"), 2);
}

}  // namespace
}  // namespace e2e
