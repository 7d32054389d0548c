#include "endpoints/line_writer.hh"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace endpoints {
namespace {

class LineWriterTest : public testing::Test {
 protected:
  std::string written() { return base::read_some(pipe_.read_end, 65536).value_or(""); }

  base::Pipe pipe_ = base::make_pipe();
};

TEST_F(LineWriterTest, WritesWhatCameTogetherInOnePiece) {
  LineWriter writer(std::move(pipe_.write_end), 10);
  writer.add("one");
  writer.add("two");
  writer.flush();
  EXPECT_EQ(written(), "one\ntwo\n");
}

TEST_F(LineWriterTest, WaitsUntilNothingIsAdded) {
  LineWriter writer(std::move(pipe_.write_end), 100);
  writer.add("one");
  writer.flush_settled();
  writer.add("two");
  writer.flush_settled();
  writer.flush_settled();
  EXPECT_EQ(written(), "one\ntwo\n");
  writer.add(std::string(40'000, 'x'));
  writer.flush_settled();
  EXPECT_EQ(written().size(), 40'001U);
}

TEST_F(LineWriterTest, SaysOnceThatItLeavesLinesOut) {
  LineWriter writer(std::move(pipe_.write_end), 2);
  for (const char* line : {"one", "two", "three", "four"}) writer.add(line);
  writer.flush();
  EXPECT_EQ(written(), "one\ntwo\n# further lines are left out\n");
}

TEST_F(LineWriterTest, SwallowsLinesWithoutADescriptor) {
  LineWriter writer(base::FileDescriptor(), 10);
  writer.add("one");
  EXPECT_NO_THROW(writer.flush());
}

}  // namespace
}  // namespace endpoints
