// What the loss of chosen packets costs, against the rules that say so. Each row is one of the
// tables of docs/reproduction.md: measured elsewhere in real time, here to the tenth of a
// millisecond.

#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gtest/gtest.h>

#include <cmath>
#include <format>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace e2e {
namespace {

struct Row {
  const char* name;
  std::string rules;    // of the gate
  double extra_ms = 0;  // over the exchange without loss
};

// What one run asks: one client and server, many gates.
struct Table {
  const char* name;
  const char* transport;
  const char* key_exchange;
  int chain_bytes = 600;
  const char* endpoint = "";
  const char* client = "";
  std::vector<Row> rows;
};

constexpr double kToleranceMs = 1;

std::string drop(const std::string& which) {
  return std::format("{{ drop: {{ {} }} }}", which);
}
std::string drop_both(const std::string& first, const std::string& second) {
  return std::format("[ {}, {} ]", drop(first), drop(second));
}

// One segment each way and no flight longer than that. The kernel's timers fire on grids of 8 and
// 64 ms, and each query begins on them, so a second is 1024 ms and a quarter of one 248 or 244.
const Table kTcp{
    "tcp",
    "dot",
    "X25519",
    600,
    "",
    "  timeout: 30s\n",
    {{"SYN once", drop("from: client, is: syn"), 1023.9},
     // tcp_syn_linear_timeouts: a second again and again, then doubling
     {"SYN twice", drop("from: client, is: syn, times: 2"), 2047.9},
     {"SYN three times", drop("from: client, is: syn, times: 3"), 3071.9},
     {"SYN six times", drop("from: client, is: syn, times: 6"), 7167.9},
     // repaired by the server's own timer
     {"SYN-ACK", drop("from: server, is: syn-ack"), 1003.9},
     {"ClientHello", drop("from: client, is: tls-client-hello"), 247.9},
     // the second time the timer has not yet doubled: a tail loss probe did the first
     {"ClientHello twice", drop("from: client, is: tls-client-hello, times: 2"), 495.9},
     {"query", drop("from: client, is: dns-query"), 247.9},
     {"answer", drop("from: server, is: dns-answer"), 243.9},
     {"answer twice", drop("from: server, is: dns-answer, times: 2"), 491.9},
     {"server's flight", drop("from: server, is: tls-server-hello"), 243.9}}};

// A ClientHello of two segments.
const Table kTwoSegments{
    "two_segments",
    "dot",
    "SecP384r1MLKEM1024",
    600,
    "",
    "",
    {{"head", drop("from: client, is: tls-client-hello, part: first"), 52.9},  // R + R/4 and a tick
     {"tail", drop("from: client, is: tls-client-hello, part: last"), 287.9},  // R + RTO
     // The probe after 2 R repeats the tail, and its acknowledgement brings the head.
     {"both", drop_both("from: client, ordinal: 3", "from: client, ordinal: 4"), 127.9}}};

// A server's flight of four segments.
const Table kFourSegments{"four_segments",
                          "dot",
                          "X25519MLKEM768",
                          3900,
                          "",
                          "",
                          {{"head", drop("from: server, is: tls-server-hello, part: first"), 40.0},
                           {"second", drop("from: server, ordinal: 4"), 52.9},
                           {"third", drop("from: server, ordinal: 5"), 52.9},
                           {"tail", drop("from: server, is: tls-finished"), 283.9}}};

// The whole handshake in one datagram each way.
const Table kQuic{
    "quic",
    "doq",
    "X25519",
    600,
    "",
    "  timeout: 30s\n",
    {{"Initial once", drop("from: client, ordinal: 1"), 1000.0},
     {"Initial twice", drop("from: client, is: tls-client-hello, times: 2"), 3000.0},
     {"Initial three times", drop("from: client, is: tls-client-hello, times: 3"), 7000.0},
     {"server's flight", drop("from: server, ordinal: 1"), 1000.0},
     {"client's second flight", drop("from: client, is: tls-finished"), 160.1},
     {"answer", drop("from: server, is: dns-answer"), 110.1}}};

const Table kShortInitialRtt{"initial_rtt",
                             "doq",
                             "X25519",
                             600,
                             "",
                             "  initial_rtt: 100ms\n",
                             {{"Initial", drop("from: client, ordinal: 1"), 300.3}}};

// A server's flight of three datagrams.
const Table kThreeDatagrams{
    "three_datagrams",
    "doq",
    "X25519",
    2500,
    "",
    "",
    {// no estimate of the round trip yet, and a probe's worth of budget
     {"first", drop("from: server, ordinal: 1"), 1040.0},
     {"second", drop("from: server, ordinal: 2"), 45.1},  // 9/8 R
     {"third", drop("from: server, ordinal: 3"), 100.1},
     {"client's second flight", drop("from: client, is: tls-finished"), 160.1}}};

// A ClientHello of two datagrams.
const Table kPostQuantum{
    "post_quantum",
    "doq",
    "X25519MLKEM768",
    3900,
    "",
    "",
    {{"first", drop("from: client, ordinal: 1"), 40.0},  // a Retry answers the second
     {"first 2 ms late", "{ delay: { from: client, ordinal: 1, by: 2ms } }", 40.0},
     {"second", drop("from: client, ordinal: 2"), 120.1},  // 3 R
     {"both", drop_both("from: client, ordinal: 1", "from: client, ordinal: 2"), 1000.0}}};

const Table kRetry{"retry",
                   "doq",
                   "X25519",
                   600,
                   "  retry: always\n",
                   "",
                   {{"Retry", drop("from: server, is: quic-retry"), 1000.0}}};

// On a connection that has answered one query before: two samples of the round trip.
const Table kWarmTcp{"warm_tcp",
                     "dot",
                     "X25519",
                     600,
                     "",
                     "  connection: warm\n",
                     {{"query", drop("from: client, is: dns-query"), 247.9},
                      {"answer", drop("from: server, is: dns-answer"), 251.9}}};
const Table kWarmQuic{"warm_quic",
                      "doq",
                      "X25519",
                      600,
                      "",
                      "  connection: warm\n",
                      // R, four variations of 15 ms and the longest acknowledgement delay of 25
                      {{"query", drop("from: client, is: dns-query"), 125.1},
                       // three samples: four variations of 8.4
                       {"answer", drop("from: server, is: dns-answer"), 98.9}}};

// The ClientHello and the query in one datagram.
const Table kEarlyData{
    "early_data",
    "doq",
    "X25519",
    600,
    "  tickets: 1\n  early_data: accept\n",
    "  connection: early-data\n",
    // The probe repeats the ClientHello; the query is missed 9/8 R after what passed it.
    {{"both", drop("from: client, is: quic-0rtt"), 1085.1},
     {"server's flight", drop("from: server, ordinal: 1"), 1048.1}}};
// In two, the query in the second.
const Table kEarlyDataPostQuantum{
    "early_data_post_quantum",
    "doq",
    "X25519MLKEM768",
    600,
    "  tickets: 1\n  early_data: accept\n",
    "  connection: early-data\n",
    {{"first", drop("from: client, ordinal: 1"), 40.0},  // a Retry, then both again
     {"second", drop("from: client, ordinal: 2"), 205.1},
     {"both", drop_both("from: client, ordinal: 1", "from: client, ordinal: 2"), 1085.1}}};

// The validation of the new path brings a sample before the query is missed.
const Table kMigrated{"migrated",
                      "doq",
                      "X25519",
                      600,
                      "",
                      "  connection: migrated\n",
                      {{"query", drop("from: client, is: dns-query"), 120.0},
                       {"answer", drop("from: server, is: dns-answer"), 45.1}}};
// Without padding the answer fits into three times the query's bytes.
const Table kRebound{"rebound",
                     "doq",
                     "X25519",
                     600,
                     "  padding: none\n",
                     "  connection: rebound\n",
                     {{"query", drop("from: client, is: dns-query"), 125.1}}};

std::string scenario_of(const Table& table) {
  std::string text = std::format(
      "name: {}\nseed: 1\npath:\n  each_way: {{ delay: 20ms }}\nendpoint:\n  server: labdns\n"
      "  certificate: {{ chain_bytes: {} }}\n  key_exchange: [{}]\n{}client:\n"
      "  transports: [{}]\n  question: a.lab.test A\n  queries: 2\n{}vary:\n  gate:\n    - pass\n",
      table.name, table.chain_bytes, table.key_exchange, table.endpoint, table.transport,
      table.client);
  for (const Row& row : table.rows) text += std::format("    - {}\n", row.rules);
  return text;
}

class SingleDrops : public testing::TestWithParam<const Table*> {};

TEST_P(SingleDrops, CostWhatTheRulesSay) {
  const Table& table = *GetParam();
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "table.yaml";
  std::ofstream(file) << scenario_of(table);
  const Outcome outcome = run_program({"labrun", file, "--out", folder.path() / "run", "--quiet"});
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  EXPECT_EQ(outcome.output.find("never matched"), std::string::npos) << outcome.output;

  // Cells come in the order of the arms, which is that of the rows.
  std::vector<std::string> cells;
  std::map<std::string, std::vector<double>> times_ms;
  for (const captures::QueryRecord& record : read_records(folder.path() / "run")) {
    ASSERT_TRUE(record.time.has_value()) << record.id;
    times_ms[record.cell].push_back(static_cast<double>(record.time->count()) / 1e6);
  }
  const nlohmann::json plan = read_json(folder.path() / "run" / "plan.json");
  for (const auto& cell : plan.at("cells")) cells.push_back(cell.at("name"));
  ASSERT_EQ(cells.size(), table.rows.size() + 1);
  const double lossless = times_ms[cells.front()].front();
  for (std::size_t index = 0; index < table.rows.size(); ++index) {
    const Row& row = table.rows[index];
    for (const double time : times_ms[cells[index + 1]])
      EXPECT_NEAR(time - lossless, row.extra_ms, kToleranceMs) << table.name << ": " << row.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, SingleDrops,
                         testing::Values(&kTcp, &kTwoSegments, &kFourSegments, &kQuic,
                                         &kShortInitialRtt, &kThreeDatagrams, &kPostQuantum,
                                         &kRetry, &kWarmTcp, &kWarmQuic, &kEarlyData,
                                         &kEarlyDataPostQuantum, &kMigrated, &kRebound),
                         [](const auto& row) { return std::string(row.param->name); });

}  // namespace
}  // namespace e2e
