// However a run ends, it leaves a readable directory and nothing else.

#include "base/file_descriptor.hh"
#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <poll.h>

namespace e2e {
namespace {

using testing::IsEmpty;

class Interruption : public testing::Test {
 protected:
  // Long enough to be interrupted on any machine, with blocks short enough to have one done early.
  RunningProgram start() {
    return RunningProgram({"labrun", scenario("loss2pct"), "--queries", "3000", "--blocks", "600",
                           "--jobs", "2", "--out", run_});
  }

  // Processes of the run disappear within the deadline: the kernel ends children after their
  // parent, not before.
  void expect_nothing_left() {
    const base::SystemClock clock;
    const base::Instant deadline = clock.now() + std::chrono::seconds(10);
    const auto left = [&] {
      std::vector<std::string> all = processes_naming(run_);
      for (const std::string& guest : guest_processes()) all.push_back(guest);
      return all;
    };
    while (!left().empty() && clock.now() < deadline) ::poll(nullptr, 0, 5);
    EXPECT_THAT(left(), IsEmpty());
  }

  void expect_readable_blocks() {
    const nlohmann::json manifest = read_json(std::filesystem::path(run_) / "manifest.json");
    EXPECT_FALSE(manifest.at("complete").get<bool>());
    EXPECT_FALSE(manifest.at("valid").get<bool>());
    EXPECT_GE(manifest.at("blocks").size(), 1U);
    EXPECT_THAT(read_records(run_), testing::Not(IsEmpty()));
    EXPECT_THAT(read_captures(run_), testing::Not(IsEmpty()));
  }

  TemporaryFolder folder_;
  std::string run_ = folder_.path() / "run";
};

class InterruptionBySignal : public Interruption, public testing::WithParamInterface<int> {};

TEST_P(InterruptionBySignal, EndsInOrderWithinTwoSeconds) {
  RunningProgram program = start();
  // Block 1 may be the first to end.
  ASSERT_TRUE(program.wait_for_output(" done: "));
  const base::SystemClock clock;
  const base::Instant sent = clock.now();
  program.send_signal(GetParam());
  const Outcome outcome = program.finish();
  EXPECT_LT(clock.now() - sent, std::chrono::seconds(2));
  EXPECT_EQ(outcome.status.code, 130) << outcome.output;
  EXPECT_TRUE(outcome.output.contains("marked incomplete")) << outcome.output;
  expect_nothing_left();
  EXPECT_EQ(read_json(std::filesystem::path(run_) / "manifest.json").at("complete"), false);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(run_) / ".scratch"));
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptionBySignal, testing::Values(SIGINT, SIGTERM, SIGHUP));

// Ten real servers, five programs for each of two arms; when one block is done, the next is on its
// way.
class InterruptionOfTenServers : public Interruption, public testing::WithParamInterface<int> {};

TEST_P(InterruptionOfTenServers, LeavesNoProcess) {
  const std::filesystem::path file = folder_.path() / "ten.yaml";
  base::write_file_atomically(file,
                              "name: ten\nclient: { transports: [dot], queries: 100 }\nvary:\n"
                              "  endpoint.server: [unbound, dnsdist, knot, bind, nginx]\n"
                              "  client.padding: [rfc8467, none]\n");
  RunningProgram program({"labrun", file, "--blocks", "100", "--jobs", "2", "--out", run_});
  ASSERT_TRUE(program.wait_for_output(" done: "));
  program.send_signal(GetParam());
  const Outcome outcome = program.finish();
  if (GetParam() == SIGKILL) {
    EXPECT_EQ(outcome.status.signal, SIGKILL);
  } else {
    EXPECT_EQ(outcome.status.code, 130) << outcome.output;
  }
  expect_nothing_left();
  EXPECT_EQ(read_json(std::filesystem::path(run_) / "manifest.json").at("complete"), false);
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptionOfTenServers, testing::Values(SIGINT, SIGKILL));

TEST_F(Interruption, AKillLeavesNoProcessAndReadableBlocks) {
  RunningProgram program = start();
  ASSERT_TRUE(program.wait_for_output("block 2 of"));
  program.send_signal(SIGKILL);
  EXPECT_EQ(program.finish().status.signal, SIGKILL);
  expect_nothing_left();
  expect_readable_blocks();
}

}  // namespace
}  // namespace e2e
