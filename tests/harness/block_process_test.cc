#include "harness/block_process.hh"

#include "base/temporary_folder.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace harness {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// What it writes to descriptor 3 are messages from a kernel.
class BlockProcessTest : public testing::Test {
 protected:
  BlockProcessTest() { image_.kernel = folder_.path() / "kernel"; }

  void start(const std::string& script) {
    base::write_file_atomically(image_.kernel, "#!/bin/sh\nPATH=/usr/bin:/bin\n" + script);
    fs::permissions(image_.kernel, fs::perms::owner_all);
    process_.emplace(loop_, place_, block_, KernelKind::kLab, 0,
                     BlockProcess::Observer{.on_message = [this](const BlockMessage&) { ++told_; },
                                            .on_end = [this](std::string why) { end_ = why; }});
  }

  base::TemporaryFolder folder_;
  base::FakeClock clock_;
  base::EventLoop loop_{clock_};
  Image image_;
  RunDirectory directory_ = RunDirectory::create(folder_.path() / "run", "test");
  BlockPlace place_{
      .image = image_, .release_roots = {}, .directory = directory_, .memory_megabytes = 1};
  PlannedBlock block_;
  int told_ = 0;
  std::optional<std::string> end_;
  std::optional<BlockProcess> process_;
};

TEST_F(BlockProcessTest, IsEndedWhenItsClockStandsStill) {
  start("echo begins to spin >" + (directory_.block(0) / "unbound-0.log").string() +
        "\necho '{\"progress\":1,\"elapsed_ns\":1}' >&3\n"
        "echo '{\"doing\":\"ask dot:3 of unbound\",\"logs\":[\"unbound-0.log\"]}' >&3\n"
        "echo '{\"progress\":2,\"elapsed_ns\":2}' >&3\nexec sleep 1000\n");
  while (told_ < 2) loop_.run_once(std::nullopt);
  clock_.advance(kSilentFor - std::chrono::seconds(1));
  loop_.run_once(clock_.now());
  EXPECT_FALSE(end_.has_value());
  clock_.advance(std::chrono::seconds(1));
  loop_.run_once(clock_.now());
  ASSERT_TRUE(end_.has_value());
  EXPECT_THAT(*end_, AllOf(HasSubstr("for 120s of real time, since it began to ask dot:3 of "
                                     "unbound"),
                           HasSubstr("unbound-0.log ends with: begins to spin")));
}

TEST_F(BlockProcessTest, IsNotWatchedAfterItsEnd) {
  start("echo '{\"finished\":true}' >&3\n");
  while (!end_) loop_.run_once(std::nullopt);
  EXPECT_EQ(*end_, "");
  end_.reset();
  clock_.advance(2 * kSilentFor);
  loop_.run_once(clock_.now());
  EXPECT_FALSE(end_.has_value());
}

}  // namespace
}  // namespace harness
