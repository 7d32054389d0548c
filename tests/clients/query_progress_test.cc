#include "clients/query_progress.hh"

#include "base/clock.hh"

#include <gtest/gtest.h>

namespace clients {
namespace {

using captures::Outcome;
using captures::Phases;
using std::chrono::milliseconds;

class QueryProgressTest : public testing::Test {
 protected:
  void SetUp() override {
    clock_.advance(milliseconds(7));  // of preparation, which is not counted
    progress_.begin();
  }

  base::FakeClock clock_;
  QueryProgress progress_{clock_};
};

TEST_F(QueryProgressTest, MeasuresPhasesFromItsStart) {
  clock_.advance(milliseconds(40));
  progress_.mark(&Phases::connect);
  clock_.advance(milliseconds(40));
  progress_.mark(&Phases::sent);
  progress_.mark(&Phases::connect);  // too late: the connection has been open for a while
  clock_.advance(milliseconds(1));
  progress_.mark(&Phases::first_byte);
  clock_.advance(milliseconds(2));
  progress_.answer();
  const captures::QueryRecord record = progress_.take_record();
  EXPECT_EQ(record.outcome, Outcome::kAnswered);
  EXPECT_EQ(record.phases, (Phases{.connect = milliseconds(40),
                                   .handshake = {},
                                   .sent = milliseconds(80),
                                   .first_byte = milliseconds(81),
                                   .answer = milliseconds(83)}));
  EXPECT_EQ(record.time, milliseconds(83));
}

TEST_F(QueryProgressTest, EndsOnce) {
  progress_.fail("reset");
  clock_.advance(milliseconds(1));
  progress_.answer();
  progress_.expire();
  progress_.mark(&Phases::first_byte);
  progress_.fail("something else");
  const captures::QueryRecord record = progress_.take_record();
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_EQ(record.error, "reset");
  EXPECT_FALSE(record.time);
  EXPECT_EQ(record.phases, Phases{});
}

TEST_F(QueryProgressTest, KeepsThePhasesOfACensoredSample) {
  progress_.mark(&Phases::sent);
  progress_.expire();
  progress_.fail("closed by ourselves");
  const captures::QueryRecord record = progress_.take_record();
  EXPECT_EQ(record.outcome, Outcome::kNoAnswer);
  EXPECT_FALSE(record.error);
  EXPECT_FALSE(record.time);
  EXPECT_EQ(record.phases.sent, milliseconds(0));
}

TEST_F(QueryProgressTest, CountsAFallbackFromTheSameStart) {
  progress_.mark(&Phases::sent);
  clock_.advance(milliseconds(40));
  progress_.mark(&Phases::first_byte);
  progress_.fall_back("tcp");
  clock_.advance(milliseconds(40));
  progress_.mark(&Phases::connect);
  progress_.mark(&Phases::sent);
  clock_.advance(milliseconds(40));
  progress_.answer();
  const captures::QueryRecord record = progress_.take_record();
  EXPECT_EQ(record.fallback, "tcp");
  EXPECT_EQ(record.phases.connect, milliseconds(80));
  EXPECT_EQ(record.phases.sent, milliseconds(80));
  EXPECT_FALSE(record.phases.first_byte);
  EXPECT_EQ(record.time, milliseconds(120));
}

TEST_F(QueryProgressTest, QuotesThePeerInPrintableBytes) {
  progress_.fail("reason: \x1b[31m\xff\n");
  EXPECT_EQ(progress_.take_record().error, "reason: ?[31m??");
}

}  // namespace
}  // namespace clients
