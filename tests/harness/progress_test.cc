#include "harness/progress.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace harness {
namespace {

using testing::HasSubstr;

class ProgressTest : public testing::Test {
 protected:
  ProgressTest() {
    for (std::uint32_t index = 0; index < 2; ++index) {
      PlannedBlock block{.index = index, .seed = 1, .queries = {}};
      block.queries.resize(50);
      plan_.blocks.push_back(block);
    }
  }

  Plan plan_;
  base::FakeClock clock_;
  std::ostringstream out_;
};

TEST_F(ProgressTest, LinesAreWrittenForFinishedBlocksOnly) {
  Progress progress(plan_, out_, Progress::Style::kLines, clock_);
  progress.update(0, 20, std::chrono::seconds(7));
  EXPECT_EQ(out_.str(), "");
  clock_.advance(std::chrono::milliseconds(1500));
  progress.update(1, 50, std::chrono::seconds(7));
  progress.block_finished(1, true);
  EXPECT_EQ(out_.str(), "block 1 of 2 done: 70/100 queries, 1.5 s\n");
  progress.block_finished(0, false);
  EXPECT_THAT(out_.str(), HasSubstr("INVALID"));
}

TEST_F(ProgressTest, ATerminalSeesOneLineTenTimesASecondAtMost) {
  Progress progress(plan_, out_, Progress::Style::kTerminal, clock_);
  progress.update(0, 5, std::chrono::seconds(60));
  const std::string first = out_.str();
  EXPECT_THAT(first, HasSubstr("5/100 queries"));
  EXPECT_THAT(first, HasSubstr("60 s of network time"));
  progress.update(0, 10, std::chrono::seconds(120));
  EXPECT_EQ(out_.str(), first);
  clock_.advance(std::chrono::milliseconds(100));
  progress.update(0, 15, std::chrono::seconds(180));
  EXPECT_THAT(out_.str(), HasSubstr("\r\033[K"));
  EXPECT_THAT(out_.str(), HasSubstr("15/100 queries"));
  EXPECT_EQ(out_.str().find('\n'), std::string::npos);
}

TEST_F(ProgressTest, SilenceIsSilent) {
  Progress progress(plan_, out_, Progress::Style::kSilent, clock_);
  progress.update(0, 5, std::chrono::seconds(60));
  progress.block_finished(0, false);
  progress.clear();
  EXPECT_EQ(out_.str(), "");
  EXPECT_EQ(progress.virtual_time(), std::chrono::seconds(60));
}

}  // namespace
}  // namespace harness
