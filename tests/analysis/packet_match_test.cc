#include "analysis/packet_match.hh"

#include "base/file_descriptor.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

namespace analysis {
namespace {

using namespace std::chrono_literals;

// Milliseconds and contents.
struct Row {
  int at_ms;
  std::string_view contents;
};

MatchResult match(const std::vector<Row>& sent, const std::vector<Row>& arrived) {
  const auto observe = [](const std::vector<Row>& rows) {
    std::vector<Observation> observations;
    for (const Row& row : rows)
      observations.push_back(
          {.timestamp_ns = row.at_ms * 1'000'000LL, .bytes = base::as_byte_span(row.contents)});
    return observations;
  };
  return match_packets(observe(sent), observe(arrived));
}

TEST(MatchPackets, NamesTheLostOne) {
  const MatchResult result =
      match({{0, "syn"}, {1, "hello"}, {2, "bye"}}, {{20, "syn"}, {22, "bye"}});
  EXPECT_EQ(result.sent[0].delay, 20ms);
  EXPECT_FALSE(result.sent[1].arrived());
  EXPECT_EQ(result.sent[2].delay, 20ms);
  EXPECT_TRUE(result.never_sent.empty());
}

TEST(MatchPackets, SurvivesReordering) {
  const MatchResult result = match({{0, "a"}, {1, "b"}}, {{20, "b"}, {25, "a"}});
  EXPECT_EQ(result.sent[0].delay, 25ms);
  EXPECT_EQ(result.sent[1].delay, 19ms);
}

TEST(MatchPackets, CountsDuplicates) {
  const MatchResult result = match({{0, "a"}}, {{20, "a"}, {20, "a"}, {21, "a"}});
  EXPECT_EQ(result.sent[0].delay, 20ms);
  EXPECT_EQ(result.sent[0].extra_copies, 2U);
}

// The first of two equal acknowledgements was lost: the delay of the other packets tells which one
// arrived.
TEST(MatchPackets, TellsEqualPacketsApartByTheirDelay) {
  const MatchResult second = match({{0, "x"}, {1, "ack"}, {5, "ack"}}, {{20, "x"}, {25, "ack"}});
  EXPECT_FALSE(second.sent[1].arrived());
  EXPECT_EQ(second.sent[2].delay, 20ms);
  const MatchResult first = match({{0, "x"}, {1, "ack"}, {5, "ack"}}, {{20, "x"}, {21, "ack"}});
  EXPECT_EQ(first.sent[1].delay, 20ms);
  EXPECT_FALSE(first.sent[2].arrived());
}

TEST(MatchPackets, EqualPacketsThatAllArrivedKeepTheirOrder) {
  const MatchResult result =
      match({{0, "x"}, {1, "ack"}, {5, "ack"}}, {{20, "x"}, {21, "ack"}, {25, "ack"}});
  EXPECT_EQ(result.sent[1].delay, 20ms);
  EXPECT_EQ(result.sent[2].delay, 20ms);
}

TEST(MatchPackets, RecognisesAFlippedBit) {
  // 'e' and 'd' differ in one bit.
  const MatchResult result = match({{0, "hello"}, {1, "other"}}, {{20, "hdllo"}, {21, "other"}});
  EXPECT_TRUE(result.sent[0].corrupted);
  EXPECT_EQ(result.sent[0].delay, 20ms);
  EXPECT_FALSE(result.sent[1].corrupted);
}

TEST(MatchPackets, ReportsWhatNobodySent) {
  EXPECT_THAT(match({{0, "hello"}}, {{20, "hello"}, {21, "stray"}}).never_sent,
              testing::ElementsAre(1));
  // Two bits differ: not netem's work.
  EXPECT_THAT(match({{0, "hello"}}, {{20, "hfllo"}}).never_sent, testing::ElementsAre(0));
  // Seen before it was sent.
  EXPECT_THAT(match({{10, "hello"}}, {{5, "hello"}}).never_sent, testing::ElementsAre(0));
  EXPECT_TRUE(match({}, {}).never_sent.empty());
}

}  // namespace
}  // namespace analysis
