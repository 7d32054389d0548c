#include "harness/recorded_query.hh"

#include "harness/scenario.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace harness {
namespace {

using namespace std::chrono_literals;
using analysis::End;
using analysis::PacketName;
using analysis::SentPacket;
using captures::Verdict;
using testing::ElementsAre;
using testing::IsEmpty;

PlannedArm arm_with(const std::string& path, const std::string& more = "") {
  return make_plan(parse_scenario("name: x\npath: " + path +
                                      "\nclient: { transports: doq, queries: 1 }\n" + more,
                                  "x.yaml"))
      .arms.at(0);
}

SentPacket sent(End from, std::uint64_t ordinal, analysis::Fate fate) {
  SentPacket packet;
  packet.from = from;
  packet.ordinal = ordinal;
  packet.fate = fate;
  return packet;
}

analysis::Fate after(base::Nanoseconds delay, std::uint64_t copies = 0, bool corrupted = false) {
  return {.delay = delay, .arrival = 0, .extra_copies = copies, .corrupted = corrupted};
}
analysis::Fate never() {
  return {.delay = {}, .arrival = {}};
}

// The client's five and one of the server.
std::vector<SentPacket> all_fates() {
  return {sent(End::kServer, 1, never()),
          sent(End::kClient, 1, after(20ms)),
          sent(End::kClient, 2, never()),
          sent(End::kClient, 3, after(23ms)),
          sent(End::kClient, 4, after(20ms, 1)),
          sent(End::kClient, 5, after(20ms, 0, true)),
          sent(End::kClient, 6, after(20ms, 1, true))};
}

TEST(RecordedScript, DropsWhatWasLostOrSpoiltAndDoublesWhatCameTwice) {
  EXPECT_THAT(script_of(all_fates(), arm_with("{ each_way: { delay: 20ms, loss: 2% } }")),
              ElementsAre(Intervention{.packet = {End::kClient, 2}},
                          Intervention{.packet = {End::kClient, 4}, .verdict = Verdict::kDuplicate},
                          Intervention{.packet = {End::kClient, 5}},
                          Intervention{.packet = {End::kServer, 1}}));
}

TEST(RecordedScript, LossesAreWhatNeverCameWhole) {
  EXPECT_THAT(losses_of(all_fates()),
              ElementsAre(PacketName{End::kClient, 2}, PacketName{End::kClient, 5},
                          PacketName{End::kServer, 1}));
  EXPECT_THAT(losses_of({}), IsEmpty());
}

// A packet of a path with jitter can be early; so the path is as fast as it can be, and each packet
// is held back by the rest.
TEST(RecordedScript, DelaysEachPacketWhereTimesAreDrawn) {
  const PlannedArm arm =
      arm_with("{ each_way: { delay: 20ms }, client_to_server: { jitter: 5ms } }");
  EXPECT_EQ(replay_path(arm).to_server.delay, 15ms);
  EXPECT_EQ(replay_path(arm).to_server.jitter, 0ms);
  EXPECT_EQ(replay_path(arm).to_client.delay, 20ms);
  const std::vector<SentPacket> packets{
      sent(End::kClient, 1, after(17ms)), sent(End::kClient, 2, after(15ms + 50us)),
      sent(End::kClient, 3, never()), sent(End::kServer, 1, after(20ms))};
  EXPECT_THAT(
      script_of(packets, arm),
      ElementsAre(Intervention{.packet = {End::kClient, 1}, .verdict = Verdict::kDelay, .by = 2ms},
                  Intervention{.packet = {End::kClient, 3}}));
}

// Who is reordered skips the delay.
TEST(RecordedScript, AReorderingPathIsAsFastAsItsFirst) {
  const PlannedArm arm = arm_with("{ each_way: { delay: 20ms, reorder: 10% } }");
  EXPECT_EQ(replay_path(arm).to_client.delay, 0ms);
  EXPECT_THAT(
      script_of(std::vector{sent(End::kServer, 1, after(20ms)), sent(End::kServer, 2, after(0ms))},
                arm),
      ElementsAre(
          Intervention{.packet = {End::kServer, 1}, .verdict = Verdict::kDelay, .by = 20ms}));
}

TEST(RecordedScript, ARatesDelaysComeByThemselves) {
  const PlannedArm arm = arm_with("{ each_way: { delay: 20ms, rate: 1mbit, limit: 3 } }");
  EXPECT_TRUE(replay_path(arm).to_server.rate.has_value());
  EXPECT_EQ(replay_path(arm).to_server.limit, 0U);
  EXPECT_THAT(script_of(std::vector{sent(End::kClient, 1, after(29ms))}, arm), IsEmpty());
  EXPECT_FALSE(replays_by_seed(arm));
}

TEST(RecordedScript, AGatesDelaysAreScripted) {
  const PlannedArm arm = arm_with("{ each_way: { delay: 20ms, jitter: 1ms } }",
                                  "gate: [delay: { from: client, ordinal: 1, by: 5ms }]\n");
  EXPECT_FALSE(replays_by_seed(arm));
  EXPECT_THAT(script_of(std::vector{sent(End::kClient, 1, after(25ms))}, arm),
              ElementsAre(Intervention{
                  .packet = {End::kClient, 1}, .verdict = Verdict::kDelay, .by = 6ms}));
}

TEST(ReplayPlan, HasNoGatesAndNoChanceButWhatSeedsRepeat) {
  const Plan plan =
      make_plan(parse_scenario("name: x\npath: { each_way: { delay: 20ms, loss: 2% } }\n"
                               "client: { transports: doq, queries: 1 }\ngate: pass\n"
                               "vary: { path.client_to_server.jitter: [0ms, 1ms] }\n",
                               "x.yaml", {.assignments = {"gate=off"}, .blocks = {}}));
  const Plan replayed = replay_plan(plan);
  EXPECT_THAT(replayed.blocks, IsEmpty());
  EXPECT_EQ(replayed.arms[0].path.to_server.loss, netns::LossModel());
  EXPECT_EQ(replayed.arms[1].path, plan.arms[1].path);
  EXPECT_EQ(scripted_plan(plan).arms[1].path.to_server.loss, netns::LossModel());
  EXPECT_FALSE(replayed.arms[0].gate.on);
}

}  // namespace
}  // namespace harness
