// Clients of Debian ask in the lab and are as fast as the protocols allow, by the packets; what
// they say of it themselves stands beside it.

#include "clients/client_program.hh"
#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using testing::HasSubstr;

std::string transports_of(const clients::ClientProgram& program) {
  std::string list;
  for (const clients::Transport transport : program.transports) {
    if (!list.empty()) list += ", ";
    list += clients::to_string(transport);
  }
  return list;
}

class Clients : public testing::TestWithParam<clients::ClientProgram> {
 protected:
  std::string scenario_of(const std::string& more, const std::string& client = "") const {
    return std::format(
        "name: client\npath: {{ each_way: {{ delay: 20ms }} }}\n{}"
        "client: {{ program: {}, transports: [{}], queries: 3{} }}\n",
        more, GetParam().name, transports_of(GetParam()), client);
  }

  std::vector<captures::QueryRecord> run(const std::string& text) {
    const std::filesystem::path file = folder_.path() / "client.yaml";
    std::ofstream(file) << text;
    run_ = folder_.path() / "run";
    std::filesystem::remove_all(run_);
    const Outcome outcome = run_program({"labrun", file, "--out", run_, "--quiet"});
    EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
    expect_files_fit_schemas(run_);
    return read_records(run_);
  }

  void expect_floors(const std::vector<captures::QueryRecord>& records,
                     base::Nanoseconds later_over_doh3 = {}) const {
    std::map<std::string, base::Nanoseconds> floors;
    const nlohmann::json plan = read_json(run_ / "plan.json");
    for (const auto& cell : plan.at("cells"))
      floors[cell.at("name")] = base::Nanoseconds(cell.at("floor_ns").get<std::int64_t>());
    ASSERT_EQ(records.size(), 3 * GetParam().transports.size());
    for (const captures::QueryRecord& record : records) {
      ASSERT_TRUE(record.time.has_value()) << record.id << ": " << record.error.value_or("silent");
      const base::Nanoseconds expected =
          floors.at(record.cell) +
          (record.transport == "doh3" ? later_over_doh3 : base::Nanoseconds(0));
      EXPECT_GE(*record.time, expected) << record.id;
      EXPECT_LE(*record.time, expected + milliseconds(1)) << record.id;
      EXPECT_EQ(record.unexplained, base::Nanoseconds(0)) << record.id << record.explanation;
      EXPECT_EQ(record.rcode, "NOERROR") << record.id;
      ASSERT_TRUE(record.answer && record.client && record.own_time) << record.id;
      EXPECT_EQ(record.answer->records, std::vector<std::string>{"a.lab.test. 60 IN A 192.0.2.1"});
      EXPECT_EQ(record.client->program, GetParam().name);
      EXPECT_EQ(record.client->ended, "exit code 0");
      EXPECT_EQ(record.client->fault, captures::Fault::kNone);
    }
  }

  TemporaryFolder folder_;
  std::filesystem::path run_;
};

INSTANTIATE_TEST_SUITE_P(All, Clients, testing::ValuesIn(clients::client_programs()),
                         [](const testing::TestParamInfo<clients::ClientProgram>& one) {
                           return std::string(one.param.name);
                         });

TEST_P(Clients, AnswerAtTheFloor) {
  const auto records = run(scenario_of(""));
  expect_floors(records);
  const auto manifest = read_json(run_ / "manifest.json");
  EXPECT_EQ(manifest.at("versions").at(std::string(GetParam().name)), records[0].client->version);
}

TEST_P(Clients, AnswerAtTheFloorOverIpv6WithPost) {
  std::string text = scenario_of("", ", method: POST, padding: none");
  text.replace(text.find("path: { "), 8, "path: { family: ipv6, ");
  // curl sends a body over HTTP/3 apart from what stands before it, and later.
  expect_floors(run(text), std::chrono::microseconds(6'100));
}

// dig counts from when the connection is there. Over QUIC the others wait until the server has
// acknowledged their query, which it puts off by 5 ms; their answer is there before.
base::Nanoseconds own_time_of(std::string_view program, const captures::QueryRecord& record) {
  if (program == "dig") return milliseconds(40);
  const bool quic = record.transport == "doq" || record.transport == "doh3";
  return *record.time + milliseconds(quic ? 5 : 0);
}

TEST_P(Clients, SayWhatTheyTook) {
  for (const captures::QueryRecord& record : run(scenario_of(""))) {
    ASSERT_TRUE(record.time && record.own_time) << record.id;
    const base::Nanoseconds theirs = own_time_of(GetParam().name, record);
    EXPECT_GE(*record.own_time, theirs - milliseconds(1)) << record.id;
    EXPECT_LE(*record.own_time, theirs + milliseconds(1)) << record.id;
  }
}

// The gate has to see into their packets while they run. With this seed Do53 comes first: the lab
// itself loses a packet of a first query whose client resets its connection (docs/clients.md).
TEST_P(Clients, LetTheGateKnowTheirKeys) {
  const auto records =
      run(scenario_of("seed: 2\ngate: { drop: { from: client, is: dns-query } }\n"));
  for (const captures::QueryRecord& record : records) {
    ASSERT_EQ(record.lost.size(), 1U) << record.id;
    EXPECT_EQ(record.lost[0].by, "gate") << record.id;
    // Nothing repeats a query over UDP.
    EXPECT_EQ(record.outcome, record.transport == "do53" ? captures::Outcome::kNoAnswer
                                                         : captures::Outcome::kAnswered)
        << record.id << record.error.value_or("");
  }
}

// Whatever they wait for, and however long: kdig's timeout is of each step, and dig's none of a
// handshake.
TEST_P(Clients, HaveNoAnswerWhereNothingArrives) {
  std::string text = scenario_of("", ", timeout: 2s");
  text.replace(text.find("path: { "), 8, "path: { server_to_client: { loss: 100% }, ");
  for (const captures::QueryRecord& record : run(text)) {
    ASSERT_TRUE(record.client) << record.id;
    // It sends its first datagram once, and gives up before its timeout.
    const bool gives_up = GetParam().name == "kdig" && record.transport == "doq";
    EXPECT_EQ(record.outcome, gives_up ? captures::Outcome::kFailed : captures::Outcome::kNoAnswer)
        << record.id;
    EXPECT_EQ(record.client->fault, gives_up ? captures::Fault::kUnknown : captures::Fault::kNone)
        << record.id;
    EXPECT_TRUE(record.error.has_value()) << record.id;
  }
}

TEST(ClientsOnAHostKernel, AreRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "host.yaml";
  std::ofstream(file) << "name: host\nclient: { program: dig, transports: [dot], queries: 2 }\n";
  const Outcome outcome = run_program({"labrun", file, "--kernel", "host"});
  EXPECT_EQ(outcome.status.code, 2) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("dig runs in the lab kernel only; labquery runs in both"));
}

TEST(ClientsInScenarios, SayWhatTheyCannotBe) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "bad.yaml";
  std::ofstream(file) << "name: bad\nclient: { program: dig, transports: [doq], queries: 2 }\n";
  const Outcome outcome = run_program({"labrun", file});
  EXPECT_EQ(outcome.status.code, 2) << outcome.output;
  EXPECT_THAT(outcome.output,
              HasSubstr("dig 9.20 with OpenSSL asks over do53, dot or doh2; not doq"));
}

}  // namespace
}  // namespace e2e
