// Servers of Debian answer in the lab as fast as the protocols allow, and say why where they cannot
// be had.

#include "endpoints/real_server.hh"
#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gtest/gtest.h>

#include <chrono>
#include <format>
#include <fstream>
#include <map>
#include <set>
#include <string>

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
    for (const auto& cell : read_json(run / "plan.json").at("cells"))
      floors[cell.at("name")] = base::Nanoseconds(cell.at("floor_ns").get<std::int64_t>());
    records_ = read_records(run);
    ASSERT_FALSE(records_.empty());
    for (const captures::QueryRecord& record : records_) {
      ASSERT_TRUE(record.time.has_value()) << record.id << ": " << record.error.value_or("silent");
      EXPECT_EQ(record.rcode, "NOERROR") << record.id;
      EXPECT_EQ(record.answer->records.size(), 1U) << record.id;
      EXPECT_GE(*record.time, floors.at(record.cell)) << record.id;
      EXPECT_LE(*record.time, floors.at(record.cell) + milliseconds(1)) << record.id;
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
  for (const captures::QueryRecord& record : records_)
    if (record.tls)
      EXPECT_EQ(record.group, GetParam().chooses_groups ? "X25519MLKEM768" : "X25519") << record.id;
}

TEST_P(Servers, AnswerOverWarmConnections) {
  expect_floors(scenario_of(GetParam(), "", ", connection: warm"));
}

}  // namespace
}  // namespace e2e
