// When a wait is as long as a timer, and from what the timers are made.

#include "analysis/timer_rules.hh"

#include "analysis/cause.hh"

#include <gtest/gtest.h>

#include <chrono>

namespace analysis {
namespace {

using namespace std::chrono_literals;

RttEstimate sampled(base::Nanoseconds rtt) {
  RttEstimate estimate;
  estimate.add_sample(rtt, 0ns);
  return estimate;
}

// Before a sample 333 + 4 x 166.5 ms, after the first one 3 round trips.
TEST(TimerRules, AProbeTimeoutIsMadeOfAnEstimateAndDoubles) {
  const RttEstimate before{.smoothed = 333ms, .variation = 166500us, .latest = {}, .minimum = {}};
  const std::vector history{before, sampled(40ms)};
  EXPECT_EQ(match_probe_timeout(999ms, history, 0)->backoff, 0);
  EXPECT_EQ(match_probe_timeout(120ms, history, 0)->estimate, 40ms);
  EXPECT_EQ(match_probe_timeout(145ms, history, 0)->backoff, 0);  // with max_ack_delay
  // poll(2) may be a thousandth late: 3996 ms become 4000.
  EXPECT_EQ(match_probe_timeout(4000ms, history, 2)->backoff, 2);
  EXPECT_FALSE(match_probe_timeout(240ms, history, 0)) << "nothing has fired that it could double";
  EXPECT_EQ(match_probe_timeout(240ms, history, 1)->backoff, 1);
  EXPECT_FALSE(match_probe_timeout(130ms, history, 1));
}

TEST(TimerRules, TcpsTimersFireLateByTheWheelsEighth) {
  const std::vector history{RttEstimate{}, sampled(40ms)};
  EXPECT_EQ(match_retransmission(240ms, history, 0)->kind, CauseKind::kRto);
  EXPECT_EQ(match_retransmission(270ms, history, 0)->kind, CauseKind::kRto);
  EXPECT_EQ(match_retransmission(84ms, history, 0)->kind, CauseKind::kTailLossProbe);
  EXPECT_FALSE(match_retransmission(200ms, history, 0));
  EXPECT_FALSE(match_retransmission(480ms, history, 0));
  EXPECT_EQ(match_retransmission(480ms, history, 1)->backoff, 1);
  EXPECT_EQ(match_syn_timeout(1047ms, 0), 0);
  EXPECT_EQ(match_syn_timeout(2028ms, 1), 1);
  EXPECT_FALSE(match_syn_timeout(1500ms, 3));
}

PacketEvent quic_packet(End from, std::int64_t sent_ms, std::int64_t arrived_ms,
                        std::uint64_t number, std::uint64_t type) {
  PacketEvent event{.from = from,
                    .sent_ns = sent_ms * 1'000'000,
                    .arrived_ns = arrived_ms * 1'000'000,
                    .packet = {}};
  event.packet.protocol = Protocol::kQuic;
  QuicPacket packet;
  packet.number = number;
  QuicFrame frame;
  frame.type = type;
  if (type == quic_frame::kAck) frame.ranges = {{.smallest = 0, .largest = 0}};
  packet.frames.push_back(frame);
  event.packet.quic.push_back(packet);
  return event;
}

// Two acknowledgements of the same packet overtake each other: the first to arrive gives the
// sample.
TEST(RttHistory, FollowsTheOrderOfArrival) {
  Exchange exchange;
  exchange.events = {quic_packet(End::kServer, 0, 20, 0, quic_frame::kPing),
                     quic_packet(End::kClient, 20, 60, 0, quic_frame::kAck),
                     quic_packet(End::kClient, 21, 41, 1, quic_frame::kAck)};
  const auto history =
      quic_rtt_history(exchange, {.end = End::kServer, .conversation = 0}, 100'000'000);
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(history.back().latest, 41ms);
}

// On a path that delays nothing all happens in one instant; causes still lead back to the start.
TEST(Causes, NeverGoInACircle) {
  Exchange exchange;
  for (int round = 0; round < 3; ++round) {
    exchange.events.push_back(quic_packet(End::kClient, 0, 0, 2 * round, quic_frame::kPing));
    exchange.events.push_back(quic_packet(End::kServer, 0, 0, 2 * round, quic_frame::kPing));
  }
  const auto causes = find_causes(exchange);
  EXPECT_EQ(causes.front().kind, CauseKind::kStart);
  for (std::size_t index = 1; index < causes.size(); ++index) {
    ASSERT_TRUE(causes[index].since.has_value());
    EXPECT_LT(*causes[index].since, index);
  }
}

// An acknowledgement alone is no probe, however long its sender waited.
TEST(Causes, AProbeAsksForAnAcknowledgement) {
  Exchange exchange;
  exchange.events = {quic_packet(End::kClient, 0, 20, 0, quic_frame::kPing),
                     quic_packet(End::kClient, 999, 1019, 1, quic_frame::kAck)};
  EXPECT_NE(find_causes(exchange).back().kind, CauseKind::kPto);
  exchange.events.back() = quic_packet(End::kClient, 999, 1019, 1, quic_frame::kPing);
  EXPECT_EQ(find_causes(exchange).back().kind, CauseKind::kPto);
}

}  // namespace
}  // namespace analysis
