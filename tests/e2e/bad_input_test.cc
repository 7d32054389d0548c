// What labrun says to people who made a mistake.

#include "base/file_descriptor.hh"
#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <unistd.h>

namespace e2e {
namespace {

class BadInput : public testing::Test {
 protected:
  Outcome run_text(const std::string& text) {
    const std::filesystem::path file = folder_.path() / "bad.yaml";
    base::write_file_atomically(file, text);
    return run_program({"labrun", file, "--out", folder_.path() / "run"});
  }

  void expect_refused(const Outcome& outcome) {
    EXPECT_EQ(outcome.status.code, 2) << outcome.output;
    EXPECT_FALSE(outcome.output.empty());
    EXPECT_LT(outcome.output.size(), 2000U);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "run"));
  }

  TemporaryFolder folder_;
};

TEST_F(BadInput, TenMistakesGiveTenMessages) {
  const Outcome outcome = run_text(R"(name: ten mistakes
sede: 7
path:
  mtu: 100
  each_way: { delay: 20, loss: 150%, jiter: 1ms }
endpoint:
  certificate: { chain_bytes: 12 }
  key_exchange: [X25518]
  retry: sometimes
client:
  transports: [do53, dou]
  queries: 0
)");
  EXPECT_EQ(outcome.status.code, 2);
  std::size_t messages = 0;
  for (std::size_t place = outcome.output.find("bad.yaml:"); place != std::string::npos;
       place = outcome.output.find("bad.yaml:", place + 1))
    ++messages;
  EXPECT_GE(messages, 10U) << outcome.output;
  EXPECT_TRUE(outcome.output.contains("bad.yaml:2:1")) << outcome.output;
  EXPECT_TRUE(outcome.output.contains("seed")) << outcome.output;
  EXPECT_TRUE(outcome.output.contains("jitter")) << outcome.output;
}

TEST_F(BadInput, FilesThatAreNoScenarioEndCleanly) {
  const std::string good = base::read_file(scenario("loss2pct"));
  expect_refused(run_text(""));
  expect_refused(run_text(good.substr(0, good.find("each_way") + 12)));
  expect_refused(run_text(std::string("\0\xff\xfe\x01 binary \x80", 13)));
  expect_refused(run_text("name: x\n" + std::string(10'000'000, '#')));
  expect_refused(run_text(std::string(100'000, '[')));
}

TEST_F(BadInput, UnknownFilesOptionsAndCells) {
  expect_refused(run_program({"labrun", "/nonexistent.yaml"}));
  expect_refused(run_program({"labrun", scenario("smoke"), "--quries", "3"}));
  expect_refused(run_program({"labrun", scenario("smoke"), "--only", "doz"}));
  expect_refused(run_program({"labrun", scenario("smoke"), "--set", "client.queries"}));
  expect_refused(run_program({"labrun"}));
}

TEST_F(BadInput, NothingIsOverwritten) {
  base::write_file_atomically(folder_.path() / "precious", "x");
  const Outcome outcome = run_program({"labrun", scenario("smoke"), "--out", folder_.path()});
  EXPECT_EQ(outcome.status.code, 3);
  EXPECT_TRUE(outcome.output.contains("not empty")) << outcome.output;
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "precious"));
}

TEST_F(BadInput, ImpairmentOnAHostWithoutNetemSaysSo) {
  if (::geteuid() != 0) GTEST_SKIP() << "SKIPPED: --kernel host needs root";
  const Outcome outcome = run_program(
      {"labrun", scenario("smoke"), "--kernel", "host", "--out", folder_.path() / "run"});
  // Where this kernel has netem the run is a good one.
  if (outcome.status.succeeded()) return;
  EXPECT_EQ(outcome.status.code, 3);
  EXPECT_TRUE(outcome.output.contains("has no netem")) << outcome.output;
}

}  // namespace
}  // namespace e2e
