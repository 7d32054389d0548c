// Servers of Debian's next release beside those of this one, and of a root directory of one's own.

#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace e2e {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

bool has_testing() {
  return std::filesystem::exists(program("labrun").parent_path() / "image/testing");
}

constexpr const char* kNoTesting =
    "SKIPPED: the servers of Debian testing are not there: its archive was out of reach when "
    "lab/build-testing was called";

class Releases : public testing::Test {
 protected:
  base::TemporaryFolder folder_;
};

TEST_F(Releases, NginxOfTestingLeavesHandshakesUnfinishedAndStableDoesNot) {
  if (!has_testing()) GTEST_SKIP() << kNoTesting;
  const std::string own = "key_exchange=X25519MLKEM768,chain_bytes=3900,retry=never,loss=";
  const std::filesystem::path run = folder_.path() / "run";
  std::vector<std::string> argv{"labrun", scenario("nginx-1616"), "--out", run, "--queries", "40",
                                "--quiet"};
  for (const char* server : {"server=nginx@stable,", "server=nginx@testing,"})
    for (const char* loss : {"0%", "8%"}) argv.insert(argv.end(), {"--only", server + own + loss});
  const Outcome outcome = run_program(argv);
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  EXPECT_THAT(outcome.output, ContainsRegex("nginx 1\\.26"));
  EXPECT_THAT(outcome.output, ContainsRegex("nginx@testing 1\\.[3-9]"));
  const auto records = read_records(run);
  ASSERT_EQ(records.size(), 160U);
  std::size_t unfinished = 0;
  for (const captures::QueryRecord& record : records) {
    if (record.outcome == captures::Outcome::kAnswered) continue;
    ++unfinished;
    EXPECT_THAT(record.cell, HasSubstr("server=nginx@testing"));
    EXPECT_THAT(record.cell, HasSubstr("loss=8%"));
    EXPECT_TRUE(std::ranges::contains(record.findings, "initial-crypto-not-resent")) << record.id;
  }
  // Published: 30 of 200.
  EXPECT_GE(unfinished, 1U);
  EXPECT_LE(unfinished, 16U);
}

// What a client never learnt to decrypt can be read all the same.
TEST_F(Releases, ServersKeysOpenWhatTheClientCouldNot) {
  if (!has_testing()) GTEST_SKIP() << kNoTesting;
  const std::filesystem::path run = folder_.path() / "run";
  const Outcome outcome = run_program(
      {"labrun", scenario("nginx-1616"), "--out", run, "--queries", "40", "--quiet", "--only",
       "server=nginx@testing,key_exchange=X25519MLKEM768,chain_bytes=3900,retry=never,loss=15%"});
  const Outcome ladder = run_program({"labrun", "explain", run, "worst"});
  EXPECT_THAT(ladder.output, HasSubstr("no_answer"));
  EXPECT_THAT(ladder.output, ContainsRegex("server +.*Handshake [0-9]+ "));
  EXPECT_THAT(ladder.output, testing::Not(HasSubstr("Handshake (encrypted)")));
}

TEST_F(Releases, TheSameSeedGivesTheSameBytesWithServersOfOthersToo) {
  const std::filesystem::path file = folder_.path() / "own.yaml";
  std::ofstream(file) << "name: own\npath: { each_way: { delay: 20ms, loss: 5% } }\n"
                      << "endpoint: { server: nginx }\n"
                      << "client: { transports: [dot, doh3], queries: 8 }\nblock_queries: 4\n";
  for (const char* jobs : {"1", "2"}) {
    const Outcome outcome =
        run_program({"labrun", file, "--out", folder_.path() / jobs, "--jobs", jobs, "--quiet"});
    ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  }
  EXPECT_EQ(read_captures(folder_.path() / "1"), read_captures(folder_.path() / "2"));
}

// It names a program, and comes from the command line alone.
TEST_F(Releases, ARootOfOnesOwnIsForTheCommandLine) {
  const std::filesystem::path file = folder_.path() / "own.yaml";
  const auto write = [&](const std::string& server) {
    std::ofstream(file) << "name: own\npath: { each_way: { delay: 20ms } }\n"
                        << "endpoint: { server: \"" << server << "\" }\n"
                        << "client: { transports: [do53, dot], queries: 2 }\n";
  };
  const std::string root =
      std::filesystem::canonical(program("labrun").parent_path() / "image/root");
  write("unbound@" + root);
  const Outcome refused = run_program({"labrun", file});
  EXPECT_EQ(refused.status.code, 2);
  EXPECT_THAT(refused.output, HasSubstr("a path is for the command line only"));
  write("unbound");
  const Outcome taken = run_program({"labrun", file, "--set", "endpoint.server=unbound@" + root,
                                     "--out", folder_.path() / "run", "--quiet"});
  EXPECT_TRUE(taken.status.succeeded()) << taken.output;
  EXPECT_THAT(taken.output, HasSubstr("unbound@" + root + " 1."));
  const Outcome empty = run_program(
      {"labrun", file, "--set", "endpoint.server=unbound@" + folder_.path().string(), "--quiet"});
  EXPECT_EQ(empty.status.code, 2);
  EXPECT_THAT(empty.output, HasSubstr("usr/sbin/unbound is not there"));
}

}  // namespace
}  // namespace e2e
