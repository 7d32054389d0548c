// How replays and minimal sets look to people.

#include "harness/replay_text.hh"

#include "harness/minimal_set.hh"
#include "harness/minimize_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

namespace harness {
namespace {

using namespace std::chrono_literals;
using analysis::End;
using analysis::Trial;
using captures::Outcome;
using testing::HasSubstr;

Trial ending_after(std::optional<base::Nanoseconds> time) {
  Trial trial;
  trial.outcome = time ? Outcome::kAnswered : Outcome::kNoAnswer;
  trial.time = time;
  trial.packets = {
      {.name = {End::kClient, 1}, .at = 1us, .meaning = "SYN", .signature = {}},
      {.name = {End::kServer, 1}, .at = 20ms + 1us, .meaning = "SYN-ACK", .signature = {}}};
  return trial;
}

RecordedQuery query_of(std::optional<base::Nanoseconds> time) {
  RecordedQuery query;
  query.record.id = "dot:7";
  query.record.time = time;
  query.record.outcome = time ? Outcome::kAnswered : Outcome::kNoAnswer;
  query.lost = {{End::kClient, 3}, {End::kServer, 1}};
  query.packets = {{.name = {End::kClient, 1}, .at = 0ms, .meaning = "SYN"},
                   {.name = {End::kServer, 1}, .at = 20ms, .meaning = "SYN-ACK"}};
  return query;
}

std::string line(const Replay& replay) {
  return render_replays(std::span(&replay, 1), Colors::kOff);
}

TEST(Replays, TheSameEndIsATenthOfAMillisecondWide) {
  const Replay same{query_of(120ms), {ending_after(120ms + 99us)}};
  EXPECT_TRUE(same.is_same());
  EXPECT_EQ(line(same),
            "query  lost                    then       now  difference\n"
            "dot:7  client 3, server 1  120.0 ms  120.1 ms   +0.099 ms  same\n");
  EXPECT_FALSE((Replay{query_of(120ms), {ending_after(120ms - 101us)}}).is_same());
  EXPECT_TRUE((Replay{query_of({}), {ending_after({})}}).is_same());
  EXPECT_FALSE((Replay{query_of({}), {ending_after(40ms)}}).is_same());
  EXPECT_FALSE((Replay{query_of(40ms), {ending_after({})}}).is_same());
}

TEST(Replays, ShowTheFarthestAndTheSpread) {
  const Replay replay{query_of(120ms),
                      {ending_after(120ms), ending_after(320ms), ending_after(120ms)}};
  EXPECT_THAT(line(replay), HasSubstr("320.0 ms  +200.000 ms  200.000 ms  DIFFERS 1 of 3 times\n"));
  const Replay lost{query_of(120ms), {ending_after(320ms), ending_after({})}};
  EXPECT_THAT(line(lost), HasSubstr("no answer"));
}

TEST(Replays, NameTheFirstPacketThatDiffers) {
  const RecordedQuery query = query_of(120ms);
  EXPECT_EQ(first_difference(query, ending_after(120ms)), "");
  Trial trial = ending_after(120ms);
  trial.packets[1].at += 1ms;
  EXPECT_EQ(first_difference(query, trial), "server 1 at 20.0 ms, SYN-ACK, comes at 21.0 ms");
  trial.packets[1].meaning = "RST";
  EXPECT_EQ(first_difference(query, trial), "server 1 at 20.0 ms was SYN-ACK, is RST");
  trial.packets[1].name.ordinal = 2;
  EXPECT_EQ(first_difference(query, trial), "server 1 at 20.0 ms was SYN-ACK, is missing");
  trial = ending_after(120ms);
  trial.packets.push_back(
      {.name = {End::kClient, 2}, .at = 40ms + 1us, .meaning = "ACK", .signature = {}});
  EXPECT_EQ(first_difference(query, trial), "client 2 at 40.0 ms is new: ACK");
}

// Six losses, of which the trial names some.
Minimising found(analysis::LossPattern pattern, std::optional<base::Nanoseconds> time) {
  Minimising minimising{.trials = 14,
                        .lossless = ending_after(80ms),
                        .full = ending_after(1120ms),
                        .minimal = MinimalSet{.trial = ending_after(time), .smallest = true}};
  minimising.full.pattern.resize(6);
  minimising.minimal->trial.pattern = std::move(pattern);
  return minimising;
}

TEST(MinimalSets, OneLossInOneLine) {
  EXPECT_EQ(render_minimal(query_of(1120ms).record, found({{End::kServer, 1}}, 1079'900us), 900ms),
            "dot:7: 1120.0 ms with 6 packets lost; 1 of them is enough\n"
            "  the 1st packet of the server, alone: SYN-ACK\n"
            "  answered after 1079.9 ms instead of 80.0 ms\n"
            "14 trials in 0.9 s; no smaller set does it\n");
}

TEST(MinimalSets, SeveralLossesInALineEach) {
  Minimising two = found({{End::kClient, 1}, {End::kServer, 1}}, {});
  two.minimal->smallest = false;
  two.minimal->one_minimal = true;
  EXPECT_EQ(render_minimal(query_of({}).record, two, 900ms),
            "dot:7: no answer with 6 packets lost; 2 of them are enough\n"
            "  the 1st packet of the client and the 1st of the server, together:\n"
            "    client 1: SYN\n"
            "    server 1: SYN-ACK\n"
            "  no answer instead of an answer after 80.0 ms\n"
            "14 trials in 0.9 s; none of these can be spared, but fewer others might do it\n");
}

TEST(MinimalSets, SurviveTheFile) {
  const Minimising minimising = found({{End::kClient, 1}, {End::kServer, 1}}, 90ms);
  Minimising original = minimising;
  original.full.pattern = {{End::kClient, 1}, {End::kServer, 1}, {End::kServer, 2}};
  EXPECT_EQ(parse_minimising(to_json(original)), original);
  original.minimal.reset();
  EXPECT_EQ(parse_minimising(to_json(original)), original);
}

}  // namespace
}  // namespace harness
