// Servers of Debian answer in the lab as fast as the protocols allow, and say why where they cannot
// be had.

#include "endpoints/real_server.hh"
#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <format>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace e2e {
namespace {

using std::chrono::milliseconds;

std::string transports_of(const endpoints::RealServer& server) {
  std::string list;
  for (const endpoints::ProtocolSpec& known : endpoints::kProtocols) {
    if (!std::ranges::contains(server.protocols, known.protocol)) continue;
    if (!list.empty()) list += ", ";
    list += known.name;
  }
  return list;
}

std::string scenario_of(const endpoints::RealServer& server, const std::string& endpoint,
                        const std::string& client) {
  return std::format(
      "name: server\npath: {{ each_way: {{ delay: 20ms }} }}\nendpoint: {{ server: {}{} }}\n"
      "client: {{ transports: [{}], queries: 2{} }}\n",
      server.name, endpoint, transports_of(server), client);
}

// What docs/servers.md knows of each: a wait of the server's own, or answers that may stay away.
struct Peculiarity {
  std::string_view server;
  std::string_view transport;
  base::Nanoseconds later{0};
  bool unreliable = false;
};
constexpr std::array kColdPeculiarities{
    // Nagle's algorithm at the server and the delayed acknowledgement of the client: one more round
    // trip and 40 ms.
    Peculiarity{.server = "knot", .transport = "dot", .later = std::chrono::microseconds(80'900)},
    // Drops ClientHellos that come in several CRYPTO frames out of order.
    Peculiarity{.server = "haproxy", .transport = "doh3", .unreliable = true},
};

Peculiarity peculiarity_of(const endpoints::RealServer& server,
                           const captures::QueryRecord& record) {
  for (const Peculiarity& known : kColdPeculiarities)
    if (known.server == server.name && known.transport == record.transport &&
        record.settings.connection == "cold")
      return known;
  return {};
}

class Servers : public testing::TestWithParam<endpoints::RealServer> {
 protected:
  // Runs it and holds every answer to its floor.
  void expect_floors(const std::string& scenario) {
    const std::filesystem::path file = folder_.path() / "server.yaml";
    std::ofstream(file) << scenario;
    const std::filesystem::path run = folder_.path() / "run";
    std::filesystem::remove_all(run);
    const Outcome outcome = run_program({"labrun", file, "--out", run, "--quiet"});
    ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
    std::map<std::string, base::Nanoseconds> floors;
    const nlohmann::json plan = read_json(run / "plan.json");
    for (const auto& cell : plan.at("cells"))
      floors[cell.at("name")] = base::Nanoseconds(cell.at("floor_ns").get<std::int64_t>());
    records_ = read_records(run);
    ASSERT_FALSE(records_.empty());
    for (const captures::QueryRecord& record : records_) {
      const Peculiarity known = peculiarity_of(GetParam(), record);
      if (known.unreliable) continue;
      ASSERT_TRUE(record.time.has_value()) << record.id << ": " << record.error.value_or("silent");
      EXPECT_EQ(record.rcode, "NOERROR") << record.id;
      EXPECT_EQ(record.answer->records.size(), 1U) << record.id;
      const base::Nanoseconds expected = floors.at(record.cell) + known.later;
      EXPECT_GE(*record.time, expected) << record.id;
      EXPECT_LE(*record.time, expected + milliseconds(1)) << record.id;
    }
    expect_files_fit_schemas(run);
  }

  TemporaryFolder folder_;
  std::vector<captures::QueryRecord> records_;
};

INSTANTIATE_TEST_SUITE_P(All, Servers, testing::ValuesIn(endpoints::real_servers()),
                         [](const testing::TestParamInfo<endpoints::RealServer>& one) {
                           std::string name(one.param.name);
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(Servers, AnswerAtTheirFloor) {
  expect_floors(scenario_of(GetParam(), "", ""));
  const std::string group = GetParam().chooses_groups ? "X25519MLKEM768" : "X25519";
  for (const captures::QueryRecord& record : records_)
    EXPECT_EQ(record.group.value_or(group), group) << record.id;
}

TEST_P(Servers, AnswerOverWarmConnections) {
  // haproxy's handshakes over QUIC would often fail before.
  if (GetParam().name == "haproxy")
    return expect_floors(
        "name: server\npath: { each_way: { delay: 20ms } }\nendpoint: { server: haproxy }\n"
        "client: { transports: [dot, doh2], queries: 2, connection: warm }\n");
  expect_floors(scenario_of(GetParam(), "", ", connection: warm"));
}

TEST(ServersRetry, IsSentWhereItIsAskedFor) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "retry.yaml";
  std::ofstream(file) << "name: retry\npath: { each_way: { delay: 20ms } }\n"
                         "endpoint: { server: nginx, retry: always }\n"
                         "client: { transports: [doh3], queries: 2 }\n";
  const Outcome outcome = run_program({"labrun", file, "--out", folder.path() / "run"});
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  for (const captures::QueryRecord& record : read_records(folder.path() / "run")) {
    EXPECT_EQ(record.retries, 1U) << record.id;
    ASSERT_TRUE(record.time) << record.id;
    EXPECT_LE(*record.time, milliseconds(121)) << record.id;
  }
}

// Each front has a resolver of its own behind it, though all of them share an interface.
TEST(ServersBehindFronts, AnswerForTheirOwnArm) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "two.yaml";
  std::ofstream(file) << "name: two\nendpoint: { server: nginx }\n"
                         "client: { transports: [dot, doh2], queries: 4 }\n"
                         "vary:\n  endpoint.zone:\n    - [a.lab.test 60 A 192.0.2.1]\n"
                         "    - [a.lab.test 60 A 192.0.2.99]\n";
  const Outcome outcome = run_program({"labrun", file, "--out", folder.path() / "run"});
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  for (const captures::QueryRecord& record : read_records(folder.path() / "run")) {
    ASSERT_TRUE(record.answer) << record.id;
    const std::string arm = record.cell.substr(0, record.cell.find('/'));
    const std::string address = arm.substr(arm.rfind(' ') + 1);
    EXPECT_EQ(record.answer->records, std::vector{"a.lab.test. 60 IN A " + address}) << record.id;
  }
}

TEST(ServersOnAHostKernel, AreRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "host.yaml";
  std::ofstream(file) << "name: host\nendpoint: { server: unbound }\n"
                         "client: { transports: [dot], queries: 2 }\n";
  const Outcome outcome = run_program({"labrun", file, "--kernel", "host"});
  EXPECT_EQ(outcome.status.code, 2) << outcome.output;
  EXPECT_NE(outcome.output.find("unbound runs in the lab kernel only"), std::string::npos)
      << outcome.output;
}

}  // namespace
}  // namespace e2e
