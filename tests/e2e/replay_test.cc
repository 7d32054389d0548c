// A query of a run asked again alone ends as it did; and of many losses the few that did it are
// found.

#include "base/file_descriptor.hh"
#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// Of loss2pct.yaml with some of its loss.
class StoredLoss : public testing::Test {
 protected:
  fs::path run(const std::string& loss, const std::string& queries) {
    const fs::path directory = folder_.path() / ("run-" + loss);
    const Outcome outcome =
        run_program({"labrun", scenario("loss2pct"), "--quiet", "--queries", queries, "--set",
                     "path.each_way.loss=" + loss, "--set", "expect=[]", "--out", directory});
    EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
    return directory;
  }

  static void expect_refused(const std::vector<std::string>& arguments, const std::string& words) {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.status.code, 2) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(words));
  }

  // A recorded scenario is valid, and its claim holds.
  static void expect_holds(const fs::path& file) {
    EXPECT_TRUE(run_program({"labrun", "check", file}).status.succeeded());
    const Outcome outcome =
        run_program({"labrun", file, "--quiet", "--out", file.string() + "-run"});
    EXPECT_TRUE(outcome.status.succeeded()) << base::read_file(file) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("held "));
  }

  TemporaryFolder folder_;
};
class Replay : public StoredLoss {};
class Minimise : public StoredLoss {};

TEST_F(Replay, TheSlowestQueriesEndTheSame) {
  const fs::path stored = run("2%", "100");
  const Outcome outcome = run_program({"labrun", "replay", stored, "slowest:50"});
  EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("50 of 50 ended the same;"));
}

TEST_F(Replay, RecordsAScenarioThatHolds) {
  const fs::path stored = run("2%", "40");
  const fs::path file = folder_.path() / "again.yaml";
  const Outcome outcome =
      run_program({"labrun", "replay", stored, "doh2:worst", "--times", "3", "--record", file});
  EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("1 of 1 ended the same;"));
  expect_holds(file);
  expect_refused({"labrun", "replay", stored, "doh2:worst", "--record", file}, "exists already");
  expect_refused({"labrun", "replay", stored, "slowest:2", "--record", file.string() + "2"},
                 "2 queries are chosen");
}

TEST_F(Replay, RefusesWhatIsNotThere) {
  const fs::path stored = run("0%", "4");
  expect_refused({"labrun", "replay", stored, "doq:4"}, "has no query \"doq:4\"");
  expect_refused({"labrun", "replay", stored, "slowest:0"}, "has no query");
  expect_refused({"labrun", "replay", folder_.path(), "worst"}, "is no run directory");
  expect_refused({"labrun", "minimize", stored, "doq:0"}, "no packet of doq:0 was lost");
  expect_refused({"labrun", "minimize", stored, "smtp:worst"}, "has no query");
}

// What a run that was stopped did finish can be asked again; of the rest nothing is known.
TEST_F(Replay, KnowsTheFinishedBlocksOfAStoppedRun) {
  const fs::path stored = run("2%", "10");
  nlohmann::json manifest = read_json(stored / "manifest.json");
  manifest["complete"] = false;
  base::write_file_atomically(stored / "manifest.json", manifest.dump());
  EXPECT_TRUE(run_program({"labrun", "replay", stored, "doq:3"}).status.succeeded());
  fs::remove(stored / "queries.jsonl");
  expect_refused({"labrun", "replay", stored, "doq:3"}, "the run was stopped");
}

// The slowest query with at least so many losses, which must end the same when it is asked again.
std::optional<captures::QueryRecord> slowest_with(const fs::path& run, std::size_t losses) {
  auto records = read_records(run);
  std::ranges::stable_sort(records, std::ranges::greater(), &captures::QueryRecord::time);
  const auto found = std::ranges::find_if(records, [&](const captures::QueryRecord& record) {
    return record.lost.size() >= losses && record.time;
  });
  if (found == records.end()) return std::nullopt;
  const Outcome again = run_program({"labrun", "replay", run, found->id});
  EXPECT_TRUE(again.status.succeeded()) << again.output;
  return *found;
}

TEST_F(Minimise, FindsTheFewLossesThatMakeAQuerySlow) {
  const fs::path stored = run("15%", "40");
  const auto query = slowest_with(stored, 5);
  ASSERT_TRUE(query.has_value());
  const fs::path file = folder_.path() / "few.yaml";
  const auto started = std::chrono::steady_clock::now();
  const Outcome outcome =
      run_program({"labrun", "minimize", stored, query->id, "--quiet", "--record", file});
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(30));
  EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr(query->id + ": "), HasSubstr("packets lost; "),
                                    HasSubstr("answered after "), HasSubstr(" trials in ")));
  expect_holds(file);
  expect_refused({"labrun", "minimize", stored, query->id, "--record", file}, "exists already");
  expect_refused({"labrun", "minimize", stored, query->id, "--slower-by", "100s"},
                 "was slower by ");
}

TEST_F(Minimise, FindsWhyAQueryGotNoAnswer) {
  const fs::path stored = run("15%", "40");
  const auto records = read_records(stored);
  const auto silent = std::ranges::find_if(records, [](const captures::QueryRecord& record) {
    return record.transport == "do53" && record.outcome == captures::Outcome::kNoAnswer;
  });
  ASSERT_NE(silent, records.end());
  const Outcome outcome = run_program({"labrun", "minimize", stored, silent->id, "--quiet"});
  EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("no answer with 1 packet lost; it is needed\n"),
                                    HasSubstr("no answer instead of an answer after 40.0 ms\n"),
                                    HasSubstr("no smaller set does it\n")));
}

}  // namespace
}  // namespace e2e
