// A real server that goes wrong costs what it alone has to do with, is reported, and leaves
// nothing.

#include "base/file_descriptor.hh"
#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"
#include "tests/paths.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <format>
#include <string>
#include <vector>

namespace e2e {
namespace {

using captures::Outcome;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class ServerFaults : public testing::Test {
 protected:
  // One block that asks `queries` of a server with that fault (tests/e2e/programs).
  e2e::Outcome run(const std::string& fault, const std::string& client = "transports: [do53]",
                   const std::string& more = "", int queries = 8) {
    const std::filesystem::path root = folder_.path() / "root";
    std::filesystem::create_directories(root / "usr/sbin");
    std::filesystem::copy_file(tests::checked_programs_folder() / "faulty_server",
                               root / "usr/sbin/unbound");
    base::write_file_atomically(root / "fault", fault);
    const std::filesystem::path file = folder_.path() / "faults.yaml";
    base::write_file_atomically(
        file, std::format("name: faults\npath: {{ each_way: {{ delay: 20ms }} }}\n"
                          "client: {{ {}, queries: {} }}\n{}",
                          client, queries, more));
    return run_program({"labrun", file, "--out", run_, "--set",
                        "endpoint.server=unbound@" + root.string(), "--blocks", "1"});
  }

  std::vector<captures::QueryRecord> records() const { return read_records(run_); }
  nlohmann::json manifest() const { return read_json(run_ / "manifest.json"); }

  // What is right of every run that came to its end, whatever its server did.
  void expect_whole_run(const e2e::Outcome& outcome) const {
    ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
    EXPECT_EQ(manifest().at("complete"), true);
    EXPECT_EQ(manifest().at("valid"), true) << manifest().at("blocks").dump(1);
    expect_files_fit_schemas(run_);
    EXPECT_THAT(processes_naming(folder_.path()), IsEmpty());
    // `analyze` shows what the run showed, but for what was said while it ran.
    const e2e::Outcome again = run_program({"labrun", "analyze", run_});
    EXPECT_EQ(again.output.contains("SERVER"), outcome.output.contains("SERVER")) << again.output;
  }

  TemporaryFolder folder_;
  std::filesystem::path run_ = folder_.path() / "run";
};

TEST_F(ServerFaults, ACrashCostsOneQueryAndIsReported) {
  const e2e::Outcome outcome = run("crash");
  expect_whole_run(outcome);
  const auto all = records();
  ASSERT_EQ(all.size(), 8U);
  for (const captures::QueryRecord& record : all)
    EXPECT_EQ(record.outcome, record.index == 5 ? Outcome::kNoAnswer : Outcome::kAnswered);
  EXPECT_THAT(all[5].error.value_or(""),
              AllOf(HasSubstr("unbound ended (signal 11 (Segmentation fault)) during a query"),
                    HasSubstr("about to crash")));
  EXPECT_THAT(outcome.output, HasSubstr("SERVER        unbound ended (signal 11"));
  const nlohmann::json ends = manifest().at("server_ends");
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].at("query"), all[5].id);
  EXPECT_EQ(ends[0].at("log"), "logs/0-unbound-0.log");
  EXPECT_THAT(base::read_file(run_ / "logs/0-unbound-0.log"), HasSubstr("[labrun: started again]"));
}

TEST_F(ServerFaults, AServerThatStaysDownFailsItsArmOnly) {
  const e2e::Outcome outcome = run("crash-and-stay-down server-1", "transports: [do53]",
                                   "vary: { client.padding: [rfc8467, none] }\n");
  expect_whole_run(outcome);
  std::size_t unasked = 0;
  for (const captures::QueryRecord& record : records()) {
    const bool faulty = record.cell.contains("none");
    if (!faulty || record.outcome != Outcome::kFailed) {
      EXPECT_EQ(record.outcome == Outcome::kAnswered, !faulty || record.index < 5) << record.id;
      continue;
    }
    ++unasked;
    EXPECT_THAT(record.error.value_or(""),
                AllOf(HasSubstr("could not be started again"), HasSubstr("cannot start twice")));
    EXPECT_EQ(record.wire->client.packets, 0U);
  }
  EXPECT_EQ(unasked, 2U);
  EXPECT_THAT(outcome.output, HasSubstr("could not be started again"));
}

TEST_F(ServerFaults, AHangIsSilenceAndIsKilledInTheEnd) {
  const e2e::Outcome outcome = run("hang");
  expect_whole_run(outcome);
  for (const captures::QueryRecord& record : records())
    EXPECT_EQ(record.outcome, record.index < 5 ? Outcome::kAnswered : Outcome::kNoAnswer);
  EXPECT_THAT(outcome.output, HasSubstr("did not end within 10s of SIGTERM, and was killed"));
}

TEST_F(ServerFaults, ABadEndCostsNoQuery) {
  const e2e::Outcome outcome = run("bad-end");
  expect_whole_run(outcome);
  for (const captures::QueryRecord& record : records())
    EXPECT_EQ(record.outcome, Outcome::kAnswered);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("unbound ended badly (exit code 7)"),
                                    HasSubstr("I did not like that")));
}

TEST_F(ServerFaults, ALogIsCutOffAndTheServerLivesOn) {
  const e2e::Outcome outcome = run("fill-log");
  expect_whole_run(outcome);
  for (const captures::QueryRecord& record : records())
    EXPECT_EQ(record.outcome, Outcome::kAnswered);
  EXPECT_THAT(outcome.output, HasSubstr("said more than the 16 MiB that its log keeps"));
  const std::string log = base::read_file(run_ / "logs/0-unbound-0.log");
  EXPECT_LT(log.size(), std::size_t{17} << 20U);
  EXPECT_TRUE(log.ends_with("[labrun: cut off after 16 MiB]\n"));
}

TEST_F(ServerFaults, LateReadinessIsWaitedFor) {
  const e2e::Outcome outcome = run("ready-late");
  expect_whole_run(outcome);
  EXPECT_FALSE(outcome.output.contains("SERVER")) << outcome.output;
  EXPECT_GE(manifest().at("blocks")[0].at("first_query_after_ns").get<std::int64_t>(),
            3'000'000'000);
}

TEST_F(ServerFaults, AVersionWithoutEndIsUnknown) {
  expect_whole_run(run("version-without-end"));
  EXPECT_THAT(manifest().at("versions").dump(), HasSubstr("\"unknown\""));
}

TEST_F(ServerFaults, APreparationThatFailsIsTheQuerysOutcome) {
  // Nobody listens at its TCP ports.
  const e2e::Outcome outcome = run("none", "transports: [do53, dot], connection: warm");
  expect_whole_run(outcome);
  for (const captures::QueryRecord& record : records()) {
    if (record.transport == "do53") {
      EXPECT_EQ(record.outcome, Outcome::kAnswered) << record.id;
      continue;
    }
    EXPECT_EQ(record.outcome, Outcome::kFailed) << record.id;
    EXPECT_THAT(record.error.value_or(""), testing::StartsWith("prepare: "));
  }
}

TEST_F(ServerFaults, NoStartEndsTheRunWithItsWords) {
  const e2e::Outcome crash = run("crash-at-start");
  EXPECT_EQ(crash.status.code, 3);
  EXPECT_THAT(crash.output, AllOf(HasSubstr("unbound ended before it was ready (signal 11"),
                                  HasSubstr("it said: faulty server started")));
  EXPECT_EQ(manifest().at("complete"), false);
  EXPECT_THAT(processes_naming(folder_.path()), IsEmpty());
}

TEST_F(ServerFaults, SilenceAtTheStartEndsTheRunToo) {
  const e2e::Outcome silent = run("never-ready");
  EXPECT_EQ(silent.status.code, 3);
  EXPECT_THAT(silent.output, HasSubstr("unbound was not ready within 30s"));
  EXPECT_THAT(processes_naming(folder_.path()), IsEmpty());
}

TEST(ServerFaultsOfFronts, TheBackendHasAVersionToo) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "front.yaml";
  base::write_file_atomically(file,
                              "name: front\nendpoint: { server: nginx }\n"
                              "client: { transports: [dot], queries: 1 }\n");
  const e2e::Outcome outcome = run_program({"labrun", file, "--out", folder.path() / "run"});
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  const nlohmann::json versions = read_json(folder.path() / "run/manifest.json").at("versions");
  EXPECT_TRUE(versions.contains("nginx")) << versions;
  EXPECT_THAT(versions.value("unbound (behind nginx)", ""), testing::StartsWith("1.")) << versions;
}

}  // namespace
}  // namespace e2e
