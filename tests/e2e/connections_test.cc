// What queries find is there, is the same every time, and is no part of them.

#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace e2e {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

std::vector<captures::QueryRecord> run_connections(const std::filesystem::path& run,
                                                   const std::vector<std::string>& options = {}) {
  std::vector<std::string> command{"labrun", scenario("connections"), "--out", run, "--quiet"};
  command.insert(command.end(), options.begin(), options.end());
  const Outcome outcome = run_program(command);
  // Claims may break under other settings.
  EXPECT_LE(outcome.status.code, options.empty() ? 0 : 1) << outcome.output;
  return read_records(run);
}

TEST(Connections, PacketsBeforeTheQueryAreNoPartOfIt) {
  const TemporaryFolder folder;
  const auto records = run_connections(folder.path() / "run");
  ASSERT_EQ(records.size(), 4U * 5U * 10U);
  for (const captures::QueryRecord& record : records) {
    const std::string& found = record.settings.connection;
    const bool cold = found == "cold";
    EXPECT_EQ(record.preparation.has_value(), !cold) << record.id;
    EXPECT_EQ(record.flows.size(), found == "resumed" || found == "early-data" ? 2U : 1U)
        << record.id;
    EXPECT_EQ(record.early_data.accepted, found == "early-data") << record.id;
    EXPECT_EQ(record.unexplained, base::Nanoseconds(0)) << record.id;
    EXPECT_TRUE(record.findings.empty() || found != "warm") << record.id;
    if (!cold) {
      EXPECT_GE(record.preparation->client_packets, 5U) << record.id;
      EXPECT_GE(record.preparation->server_packets, 5U) << record.id;
    }
    // The query and its farewell.
    if (found == "warm") {
      EXPECT_LE(record.wire->client.packets, 5U) << record.id;
      EXPECT_LE(record.wire->server.packets, 4U) << record.id;
    }
  }
  const auto account =
      read_json(folder.path() / "run" / "manifest.json").at("fidelity").at("account");
  EXPECT_GT(account.at("preparation").at("client_to_server").at("sent"), 0);
  EXPECT_EQ(account.at("unaccounted"), 0);
}

TEST(Connections, LossIsOfQueriesOnly) {
  const TemporaryFolder folder;
  const auto records =
      run_connections(folder.path() / "run", {"--set", "path.each_way.loss=5%", "--queries", "40"});
  std::size_t lossy = 0;
  for (const captures::QueryRecord& record : records) {
    lossy += record.lost.empty() ? 0U : 1U;
    // Also where an answer comes before the handshake that it is to be decrypted with.
    if (!record.time) continue;
    EXPECT_EQ(record.unexplained, base::Nanoseconds(0)) << record.id;
  }
  EXPECT_GT(lossy, 50U);
  const auto account =
      read_json(folder.path() / "run" / "manifest.json").at("fidelity").at("account");
  for (const char* direction : {"client_to_server", "server_to_client"}) {
    EXPECT_GT(account.at("queries").at(direction).at("lost"), 0);
    EXPECT_EQ(account.at("preparation").at(direction).at("lost"), 0);
  }
}

TEST(Connections, RefusedEarlyDataCostsWhatAResumedHandshakeDoes) {
  const TemporaryFolder folder;
  const auto records =
      run_connections(folder.path() / "run",
                      {"--set", "endpoint.early_data=reject", "--only", "connection=early-data"});
  ASSERT_EQ(records.size(), 5U * 10U);
  for (const captures::QueryRecord& record : records) {
    const bool do53 = record.transport == "do53";
    const bool tcp = record.transport == "dot" || record.transport == "doh2";
    const auto floor = milliseconds(40) * (do53 ? 1 : tcp ? 3 : 2);
    ASSERT_TRUE(record.time) << record.id;
    EXPECT_GE(*record.time, floor) << record.id;
    EXPECT_LE(*record.time, floor + microseconds(100)) << record.id;
    EXPECT_EQ(record.early_data.attempted, !do53) << record.id;
    EXPECT_FALSE(record.early_data.accepted) << record.id;
    EXPECT_EQ(record.unexplained, base::Nanoseconds(0)) << record.id;
  }
}

TEST(Connections, APathThatIsNewHoldsAnswersBack) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program({"labrun", scenario("port-change"), "--out", folder.path() / "run", "--only",
                   "connection=rebound,padding=rfc8467"});
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  for (const captures::QueryRecord& record : read_records(folder.path() / "run")) {
    ASSERT_GE(record.sum.size(), 2U) << record.id;
    EXPECT_EQ(record.sum[0].what, "query") << record.id;
    EXPECT_EQ(record.sum[1].what, "path_validation") << record.id;
  }
}

}  // namespace
}  // namespace e2e
