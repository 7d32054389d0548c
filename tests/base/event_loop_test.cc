#include "base/event_loop.hh"

#include <gtest/gtest.h>
#include <sys/epoll.h>

#include <string>

namespace base {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class EventLoopTest : public testing::Test {
 protected:
  SystemClock clock_;
  EventLoop loop_{clock_};
  Pipe pipe_ = make_pipe();
};

TEST_F(EventLoopTest, TimersRunInTheOrderOfTheirDeadlines) {
  std::string order;
  const Instant now = clock_.now();
  loop_.at(now + milliseconds(2), [&] { order += 'b'; });
  loop_.at(now + milliseconds(1), [&] { order += 'a'; });
  const auto cancelled = loop_.at(now + milliseconds(1), [&] { order += 'x'; });
  loop_.cancel(cancelled);
  EXPECT_TRUE(loop_.run_until([&] { return order.size() == 2; }, now + hours(1)));
  EXPECT_EQ(order, "ab");
}

TEST_F(EventLoopTest, ReadableDescriptorsWakeIt) {
  std::string seen;
  loop_.watch(pipe_.read_end.number(), EPOLLIN,
              [&](std::uint32_t) { seen = read_some(pipe_.read_end, 100).value(); });
  write_all(pipe_.write_end, "hello");
  EXPECT_TRUE(loop_.run_until([&] { return !seen.empty(); }, clock_.now() + hours(1)));
  EXPECT_EQ(seen, "hello");
}

TEST_F(EventLoopTest, ADescriptorForgottenByAnEarlierActionIsNotServed) {
  Pipe other = make_pipe();
  int served = 0;
  const auto forget_both = [&](std::uint32_t) {
    ++served;
    loop_.forget(pipe_.read_end.number());
    loop_.forget(other.read_end.number());
  };
  loop_.watch(pipe_.read_end.number(), EPOLLIN, forget_both);
  loop_.watch(other.read_end.number(), EPOLLIN, forget_both);
  write_all(pipe_.write_end, "x");
  write_all(other.write_end, "x");
  loop_.run_once(clock_.now());
  EXPECT_EQ(served, 1);
}

TEST_F(EventLoopTest, ADeadlineEndsTheWait) {
  EXPECT_FALSE(loop_.run_until([] { return false; }, clock_.now() + milliseconds(1)));
}

TEST_F(EventLoopTest, ATimerArmedForThePastByATimerDoesNotStarveDescriptors) {
  bool read = false;
  std::function<void()> rearm = [&] { loop_.at(clock_.now() - milliseconds(1), rearm); };
  rearm();
  loop_.watch(pipe_.read_end.number(), EPOLLIN, [&](std::uint32_t) { read = true; });
  write_all(pipe_.write_end, "x");
  loop_.run_once(clock_.now() + milliseconds(1));
  EXPECT_TRUE(read);
}

}  // namespace
}  // namespace base
