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
    messages.doing({.work = "ask dot:3 of unbound", .logs = {"unbound-0.log"}});
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
  const auto doing = next();
  EXPECT_EQ(doing->kind, BlockMessage::Kind::kDoing);
  EXPECT_EQ(doing->doing.work, "ask dot:3 of unbound");
  EXPECT_EQ(doing->doing.logs, std::vector<std::string>{"unbound-0.log"});
  EXPECT_EQ(next()->kind, BlockMessage::Kind::kFinished);
}

TEST(BlockMessages, NothingElseIsAccepted) {
  for (const char* line :
       {"", "{}", "[]", "Kernel panic - not syncing", "{\"progress\":-1}", "{\"progress\":1}",
        "{\"failed\":7}", "{\"doing\":\"x\"}", "{\"doing\":\"x\",\"logs\":[1]}"})
    EXPECT_FALSE(parse_block_message(line).has_value()) << line;
}

}  // namespace
}  // namespace harness
