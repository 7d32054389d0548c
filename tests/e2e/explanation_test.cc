// A run explains its answers: their times add up, the reading again gives the same, and one query
// can be looked at packet by packet.

#include "base/file_descriptor.hh"
#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <format>
#include <fstream>
#include <string>

namespace e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// One run of loss2pct.yaml for all tests of the suite.
class Explanation : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    outcome_ =
        new Outcome(run_program({"labrun", scenario("loss2pct"), "--out", run(), "--quiet"}));
  }
  static void TearDownTestSuite() {
    delete outcome_;
    delete folder_;
  }
  static fs::path run() { return folder_->path() / "run"; }
  static Outcome explain(const std::string& query) {
    return run_program({"labrun", "explain", run(), query});
  }

  static TemporaryFolder* folder_;
  static Outcome* outcome_;
};
TemporaryFolder* Explanation::folder_ = nullptr;
Outcome* Explanation::outcome_ = nullptr;

TEST_F(Explanation, EveryTimeAddsUp) {
  ASSERT_TRUE(outcome_->status.succeeded()) << outcome_->output;
  for (const captures::QueryRecord& record : read_records(run())) {
    EXPECT_FALSE(record.explanation.empty()) << record.id;
    EXPECT_EQ(record.time.has_value(), record.unexplained.has_value()) << record.id;
    if (!record.time) continue;
    base::Nanoseconds sum = *record.unexplained;
    for (const captures::SumPart& part : record.sum) sum += part.time;
    EXPECT_EQ(sum, *record.time) << record.id << ": " << record.explanation;
    // What is left over is work, of which virtual time knows microseconds.
    for (const captures::SumPart& part : record.sum) {
      const bool work = part.what == "work";
      EXPECT_TRUE(!work || std::chrono::abs(part.time) < std::chrono::microseconds(100))
          << record.id << ": " << record.explanation;
    }
  }
}

// The goal is all of them; 99.5 % is what a release must have.
TEST_F(Explanation, LeavesNothingUnexplained) {
  const nlohmann::json explained = read_json(run() / "findings.json").at("explained");
  EXPECT_EQ(explained.at("queries"), 1500);
  EXPECT_EQ(explained.at("explained"), 1500) << explained.at("unexplained").dump(1);
  EXPECT_THAT(outcome_->output, HasSubstr("1500 of 1500 queries (100.0 %)"));
}

// A lossless query is round trips and nothing else; a lost SYN is a second and nothing else.
TEST_F(Explanation, NamesWhatTheTimesAre) {
  std::size_t lossless = 0;
  std::size_t syn_timeouts = 0;
  for (const captures::QueryRecord& record : read_records(run())) {
    if (record.transport == "dot" && record.lost.empty()) {
      ++lossless;
      EXPECT_THAT(record.explanation,
                  testing::EndsWith("= 3 RTT (TCP connect, TLS handshake, query)"))
          << record.id;
    }
    for (const captures::SumPart& part : record.sum)
      if (part.what == "syn_rto") {
        ++syn_timeouts;
        EXPECT_GE(part.time, std::chrono::milliseconds(1000)) << record.id;
        EXPECT_EQ(part.at, "client");
        EXPECT_THAT(part.note, HasSubstr("SYN")) << record.id;
      }
  }
  EXPECT_GT(lossless, 100U);
  EXPECT_GT(syn_timeouts, 5U);
}

TEST_F(Explanation, FindingsAreInRecordsAndFileAlike) {
  const nlohmann::json findings = read_json(run() / "findings.json").at("findings");
  ASSERT_FALSE(findings.empty());
  const auto records = read_records(run());
  for (const nlohmann::json& finding : findings) {
    const auto id = finding.at("id").get<std::string>();
    const auto count = std::ranges::count_if(records, [&](const captures::QueryRecord& record) {
      return std::ranges::contains(record.findings, id);
    });
    EXPECT_EQ(finding.at("queries"), count) << id;
  }
}

TEST_F(Explanation, ReadingARunAgainChangesNoByte) {
  std::map<std::string, std::string> before;
  for (const char* name : {"queries.jsonl", "summary.json", "findings.json", "manifest.json"})
    before[name] = base::read_file(run() / name);
  const Outcome again = run_program({"labrun", "analyze", run()});
  EXPECT_TRUE(again.status.succeeded()) << again.output;
  for (const auto& [name, bytes] : before)
    EXPECT_EQ(base::read_file(run() / name), bytes) << name << " has changed";
  // The same table, from the heading to the reproduction.
  const auto table = [](const std::string& output) { return output.substr(output.find("ms ")); };
  EXPECT_EQ(table(again.output), table(outcome_->output));
}

// 1,500 lookups in less than five seconds and 300 MB; the limit is one of address space, of which
// what is really used is a part.
TEST_F(Explanation, TakesLittleTimeAndMemory) {
  const auto start = std::chrono::steady_clock::now();
  const Outcome limited = run_program({"/bin/bash", "-c",
                                       std::format("ulimit -v 300000; exec '{}' analyze '{}'",
                                                   program("labrun").string(), run().string())});
  EXPECT_TRUE(limited.status.succeeded()) << limited.output;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(Explanation, PrintsOneQueryAsALadder) {
  const Outcome worst = explain("dot:worst");
  ASSERT_TRUE(worst.status.succeeded()) << worst.output;
  for (const char* word : {"client --> server", "lost", "in all", "SYN-ACK", "timeout"})
    EXPECT_THAT(worst.output, HasSubstr(word));
  const Outcome median = explain("doq:median");
  ASSERT_TRUE(median.status.succeeded()) << median.output;
  for (const char* word : {"[ClientHello 1-", "ServerHello", "DNS query", "DNS answer",
                           "40.000 ms  QUIC handshake", "40.000 ms  query"})
    EXPECT_THAT(median.output, HasSubstr(word));
  EXPECT_FALSE(median.output.contains('\033'));
  const Outcome all = run_program({"labrun", "explain", run(), "doq:median", "--all"});
  EXPECT_THAT(all.output, HasSubstr("CRYPTO 0-"));
}

TEST_F(Explanation, SavesOneQueryAsCapturesThatExplainThemselves) {
  const fs::path saved = folder_->path() / "saved";
  const Outcome outcome = run_program({"labrun", "explain", run(), "doq:0", "--save", saved});
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  const Outcome read = run_program({"labrun", "analyze", saved / "0-client.pcapng"});
  EXPECT_TRUE(read.status.succeeded()) << read.output;
  EXPECT_THAT(read.output, HasSubstr("query a.lab.test A"));
  EXPECT_THAT(read.output, testing::Not(HasSubstr("not seen")));
  const Outcome again = run_program({"labrun", "explain", run(), "doq:0", "--save", saved});
  EXPECT_EQ(again.status.code, 2) << "overwrote " << saved;
}

TEST_F(Explanation, BadRequestsGetOneClearMessage) {
  const auto refused = [](const Outcome& outcome, const char* words) {
    EXPECT_EQ(outcome.status.code, 2) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(words));
    EXPECT_LT(outcome.output.size(), 1500U);
  };
  refused(explain("dot:9999"), "has no query \"dot:9999\"; its cells are do53, dot");
  refused(explain("smtp:worst"), "has no query");
  refused(run_program({"labrun", "explain", folder_->path(), "worst"}), "is no run directory");
  refused(run_program({"labrun", "analyze", folder_->path()}), "is no run directory");
  refused(run_program({"labrun", "analyze", folder_->path() / "nothing"}),
          "neither a run directory");
  refused(run_program({"labrun", "analyze", scenario("smoke")}), "neither pcapng nor pcap");
  refused(run_program({"labrun", "analyze", run(), "--packets"}), "is a run directory");
  const fs::path cut = folder_->path() / "cut.pcapng";
  const std::string whole = base::read_file(run() / "captures" / "0-client.pcapng");
  base::write_file_atomically(cut, whole.substr(0, whole.size() / 2));
  refused(run_program({"labrun", "analyze", cut, "--packets", "--keylog", "/nonexistent"}),
          "/nonexistent");
  const Outcome half = run_program({"labrun", "analyze", cut});
  EXPECT_EQ(half.status.code, 2);
  EXPECT_THAT(half.output, HasSubstr("what came before it is shown"));
  EXPECT_THAT(half.output, HasSubstr("QUIC"));
}

// Someone else's records, an old format, a missing capture: what is wrong and where.
TEST_F(Explanation, ADamagedRunDirectorySaysWhatIsDamaged) {
  const fs::path copy = folder_->path() / "copy";
  fs::copy(run(), copy, fs::copy_options::recursive);
  fs::remove(copy / "captures" / "2-server.pcapng");
  const std::string records = base::read_file(copy / "queries.jsonl");
  const Outcome outcome = run_program({"labrun", "analyze", copy});
  EXPECT_EQ(outcome.status.code, 3);
  EXPECT_THAT(outcome.output, HasSubstr("2-server.pcapng"));
  EXPECT_EQ(base::read_file(copy / "queries.jsonl"), records) << "records were lost";
  for (const std::string& damaged : {std::string(), records.substr(0, records.size() / 2)}) {
    base::write_file_atomically(copy / "queries.jsonl", damaged);
    const Outcome refused = run_program({"labrun", "analyze", copy});
    EXPECT_EQ(refused.status.code, 3) << refused.output;
    EXPECT_THAT(refused.output, HasSubstr("queries.jsonl"));
    EXPECT_EQ(base::read_file(copy / "queries.jsonl"), damaged);
  }
  EXPECT_FALSE(fs::exists(copy / ".queries.jsonl.new"));
}

}  // namespace
}  // namespace e2e
