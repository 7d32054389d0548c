#include "analysis/past.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace analysis {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr PathTimes kTimes{
    .to_server = milliseconds(10), .to_client = milliseconds(20), .timeout = milliseconds(500)};

PacketName name(std::string_view text) {
  return parse_packet_name(text).value();
}

struct Sent {
  std::string_view name;
  base::Nanoseconds at;
  bool dropped = false;
  bool completes_answer = false;
};

Trial trial(std::vector<Sent> packets, std::optional<base::Nanoseconds> time) {
  Trial trial;
  for (const Sent& sent : packets) {
    trial.packets.push_back({.name = name(sent.name),
                             .at = sent.at,
                             .bytes = 100,
                             .meaning = {},
                             .signature = {},
                             .dropped = sent.dropped,
                             .completes_answer = sent.completes_answer});
    if (sent.dropped) trial.pattern.push_back(name(sent.name));
  }
  trial.time = time;
  if (time) trial.outcome = captures::Outcome::kAnswered;
  return trial;
}

std::string names(const std::vector<RevealedPacket>& packets) {
  LossPattern pattern;
  for (const RevealedPacket& packet : packets) pattern.push_back(packet.name);
  return to_string(pattern);
}

TEST(Past, KeysAreWhenThePacketCanChangeWhatTheClientSees) {
  const auto past =
      past_of(trial({{"c1", milliseconds(1)}, {"s1", milliseconds(12)}}, milliseconds(40)), kTimes);
  ASSERT_EQ(past.size(), 2U);
  EXPECT_EQ(
      past[0],
      (RevealedPacket{.name = name("c1"), .key = milliseconds(31), .dropped = false, .index = 0}));
  EXPECT_EQ(
      past[1],
      (RevealedPacket{.name = name("s1"), .key = milliseconds(32), .dropped = false, .index = 1}));
}

// A server's packet at 5 ms overtakes a client's of 0 ms.
TEST(Past, IsInTheOrderOfKeysNotOfTheGate) {
  EXPECT_EQ(
      names(past_of(trial({{"c1", milliseconds(0)}, {"s1", milliseconds(5)}}, milliseconds(60)),
                    kTimes)),
      "s1 c1");
}

TEST(Past, PutsTheClientsPacketFirstWhereTheyNearlyCoincide) {
  for (const microseconds key : {microseconds(-90), microseconds(0), microseconds(90)})
    EXPECT_EQ(
        names(past_of(trial({{"s1", milliseconds(10)}, {"c1", key}}, milliseconds(60)), kTimes)),
        "c1 s1")
        << key;
  EXPECT_EQ(
      names(past_of(trial({{"s1", milliseconds(10)}, {"c1", microseconds(110)}}, milliseconds(60)),
                    kTimes)),
      "s1 c1");
}

TEST(Past, KeepsTheOrderOfTheGateWithinAnInstant) {
  EXPECT_EQ(names(past_of(trial({{"s1", milliseconds(10)},
                                 {"s2", milliseconds(10)},
                                 {"c1", milliseconds(0)},
                                 {"c2", milliseconds(0)}},
                                milliseconds(60)),
                          kTimes)),
            "c1 c2 s1 s2");
}

// Without a round trip to tell them apart, a reply does not precede its cause.
TEST(Past, KeepsCausesBeforeRepliesOnAShortPath) {
  const PathTimes times{
      .to_server = microseconds(10), .to_client = microseconds(10), .timeout = kTimes.timeout};
  EXPECT_EQ(
      names(past_of(trial({{"s1", microseconds(10)}, {"c1", microseconds(20)}}, milliseconds(60)),
                    times)),
      "s1 c1");
}

TEST(Past, EndsWithTheAnswer) {
  EXPECT_EQ(names(past_of(trial({{"c1", milliseconds(0)},
                                 {"s1", milliseconds(11), false, true},
                                 {"s2", milliseconds(11)},
                                 {"c2", microseconds(1150)}},
                                milliseconds(31) + microseconds(180)),
                          kTimes)),
            "c1 s1");
}

TEST(Past, DoesNotEndWithAnAnswerThatWasDroppedOrCameMuchEarlier) {
  const std::vector<Sent> behind{{"s2", milliseconds(11)}};
  for (const Sent& answer :
       {Sent{"s1", milliseconds(11), true, true}, Sent{"s1", milliseconds(10), false, true}})
    EXPECT_EQ(names(past_of(trial({{"c1", milliseconds(0)}, answer, behind[0]},
                                  milliseconds(31) + microseconds(180)),
                            kTimes)),
              "c1 s1 s2");
}

TEST(Past, EndsWithTheLastOfSeveralAnswersInTime) {
  const auto answered_at = [](microseconds time) {
    return trial({{"c1", milliseconds(0)},
                  {"s1", milliseconds(11), false, true},
                  {"s2", milliseconds(11) + microseconds(50), false, true},
                  {"s3", milliseconds(11) + microseconds(80), false, false}},
                 milliseconds(31) + time);
  };
  EXPECT_EQ(names(past_of(answered_at(microseconds(60)), kTimes)), "c1 s1 s2");
  EXPECT_EQ(names(past_of(answered_at(microseconds(40)), kTimes)), "c1 s1");
  // The gate's clock is ahead of the client's by 5 us.
  EXPECT_EQ(names(past_of(answered_at(microseconds(-5)), kTimes)), "c1 s1");
}

TEST(Past, EndsWithTheTimeoutWithoutAnAnswer) {
  EXPECT_EQ(names(past_of(trial({{"c1", milliseconds(0)},
                                 {"c2", milliseconds(470)},
                                 {"s1", milliseconds(480)},
                                 {"c3", milliseconds(471)},
                                 {"s2", milliseconds(481)}},
                                std::nullopt),
                          kTimes)),
            "c1 c2 s1");
}

TEST(Past, TakesDecidedPacketsFirst) {
  const Trial both =
      trial({{"c1", milliseconds(0)}, {"c2", milliseconds(5)}, {"s1", milliseconds(12)}},
            milliseconds(40));
  EXPECT_EQ(names(past_of(both, kTimes)), "c1 s1 c2");
  const std::vector<PacketName> decided{name("c1"), name("c2")};
  EXPECT_EQ(names(past_of(both, kTimes, decided)), "c1 c2 s1");
  // Even where the answer no longer waits for it.
  Trial earlier = both;
  earlier.time = milliseconds(33);
  EXPECT_EQ(names(past_of(earlier, kTimes)), "c1 s1");
  EXPECT_EQ(names(past_of(earlier, kTimes, decided)), "c1 c2 s1");
}

TEST(Past, TellsDropsThatWereNotAskedForOrHadNoEffect) {
  const auto misplaced = [](const Trial& trial) {
    return to_string(misplaced_drops(trial, past_of(trial, kTimes)));
  };
  Trial trial = analysis::trial({{"c1", milliseconds(0), true},
                                 {"c2", milliseconds(10)},
                                 {"s1", milliseconds(20), false, true},
                                 {"s2", milliseconds(30), true}},
                                milliseconds(40));
  EXPECT_EQ(misplaced(trial), "s2");  // behind the answer
  trial.packets.pop_back();
  EXPECT_EQ(misplaced(trial), "s2");  // never seen
  trial.pattern = {name("c1")};
  EXPECT_EQ(misplaced(trial), "none");
  trial.pattern = {name("c1"), name("c2")};
  EXPECT_EQ(misplaced(trial), "c2");  // passed
  trial.pattern = {};
  EXPECT_EQ(misplaced(trial), "c1");  // unasked
}

TEST(Past, CountsFatesOfEachEnd) {
  const PatternCounts counts = counts_of(past_of(trial({{"c1", milliseconds(0), true},
                                                        {"c2", milliseconds(1)},
                                                        {"c3", milliseconds(2)},
                                                        {"s1", milliseconds(12), true}},
                                                       milliseconds(40)),
                                                 kTimes));
  EXPECT_EQ(counts, (PatternCounts{.client = {.passed = 2, .dropped = 1},
                                   .server = {.passed = 0, .dropped = 1}}));
}

}  // namespace
}  // namespace analysis
