#include "harness/block_messages.hh"

#include "base/line_reader.hh"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(BlockMessages, WhatIsSentIsRead) {
  base::Pipe pipe = base::make_pipe();
  const base::SystemClock clock;
  base::LineReader lines(pipe.read_end);
  {
    const BlockMessages messages(std::move(pipe.write_end));
    messages.progress(7, std::chrono::seconds(3));
    messages.failed("start labdns: \"quoted\"\nand on two lines");
    messages.finished();
  }
  const auto next = [&] {
    return parse_block_message(
        lines.next(clock, clock.now() + std::chrono::hours(1), "messages").value());
  };
  const auto progress = next();
  ASSERT_TRUE(progress.has_value());
  EXPECT_EQ(progress->queries_done, 7U);
  EXPECT_EQ(progress->elapsed, std::chrono::seconds(3));
  EXPECT_EQ(next()->reason, "start labdns: \"quoted\"\nand on two lines");
  EXPECT_EQ(next()->kind, BlockMessage::Kind::kFinished);
}

TEST(BlockMessages, NothingElseIsAccepted) {
  for (const char* line : {"", "{}", "[]", "Kernel panic - not syncing", "{\"progress\":-1}",
                           "{\"progress\":1}", "{\"failed\":7}"})
    EXPECT_FALSE(parse_block_message(line).has_value()) << line;
}

}  // namespace
}  // namespace harness
