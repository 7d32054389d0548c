#include "analysis/block_evidence.hh"
#include "base/errors.hh"
#include "captures/block_capture.hh"
#include "tests/captures/frame_builder.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace analysis {
namespace {

using namespace std::chrono_literals;
using captures::Direction;

// A path of 20 ms each way on which tests send packets. Loss and damage are what a test says they
// are.
class WireAccount : public testing::Test {
 protected:
  enum class Way { kArrives, kLost };

  void from_client(int at_ms, const test::Bytes& frame, Way way = Way::kArrives) {
    send(client_, server_, at_ms, frame, way);
  }
  void from_server(int at_ms, const test::Bytes& frame, Way way = Way::kArrives) {
    send(server_, client_, at_ms, frame, way);
  }

  BlockAccount account() {
    for (captures::EndEvidence* end : {&client_, &server_})
      std::ranges::stable_sort(end->packets, {}, &captures::CapturedPacket::timestamp_ns);
    const auto files = captures::compose_block_captures({.application = "test",
                                                         .comment = {},
                                                         .client = client_,
                                                         .server = server_,
                                                         .records = records_,
                                                         .server_keylog = {}});
    std::istringstream client(files.client);
    std::istringstream server(files.server);
    return examine_block({client, server}, records_, lab_).account;
  }

  static void send(captures::EndEvidence& from, captures::EndEvidence& to, int at_ms,
                   const test::Bytes& frame, Way way) {
    const std::int64_t at_ns = 1'000'000'000'000LL + at_ms * 1'000'000LL;
    from.packets.push_back(test::captured(at_ns, Direction::kOutbound, frame));
    if (way == Way::kArrives)
      to.packets.push_back(test::captured(at_ns + 20'000'000, Direction::kInbound, frame));
  }

  std::vector<captures::QueryRecord> records_{test::udp_record("do53:0", 10001),
                                              test::udp_record("do53:1", 10002)};
  std::set<captures::IpAddress> lab_{captures::parse_ip_address(test::kClient).value(),
                                     captures::parse_ip_address(test::kServer).value()};
  captures::EndEvidence client_{.name = "client", .snap_length = 0, .counters = {}, .packets = {}};
  captures::EndEvidence server_{.name = "server", .snap_length = 0, .counters = {}, .packets = {}};
};

TEST_F(WireAccount, CountsEachQuerysPacketsAndNamesTheLostOnes) {
  from_client(0, test::query_frame(10001, "question"));
  from_server(20, test::answer_frame(10001, "answer one"));
  from_server(21, test::answer_frame(10001, "answer two"), Way::kLost);
  from_client(100, test::query_frame(10002, "lost"), Way::kLost);
  from_client(110, test::query_frame(10002, "again"));
  const BlockAccount account = this->account();

  EXPECT_TRUE(account.is_sound());
  EXPECT_EQ(account.unaccounted, 0U) << testing::PrintToString(account.complaints);
  EXPECT_EQ(records_[0].wire, (captures::WireCounts{.client = {1, 36}, .server = {2, 76}}));
  EXPECT_EQ(records_[1].wire, (captures::WireCounts{.client = {2, 65}, .server = {0, 0}}));
  EXPECT_THAT(records_[0].lost, testing::ElementsAre(captures::LostPacket{"server", 2, "netem"}));
  EXPECT_THAT(records_[1].lost, testing::ElementsAre(captures::LostPacket{"client", 1, "netem"}));
  EXPECT_EQ(account.queries.to_server.sent, 3U);
  EXPECT_EQ(account.queries.to_server.lost, 1U);
  EXPECT_EQ(account.queries.to_client.lost, 1U);
  EXPECT_EQ(account.queries.to_server.min_delay, 20ms);
  EXPECT_EQ(account.queries.to_server.max_delay, 20ms);
  EXPECT_EQ(account.largest_ip_packet, 38U);
}

TEST_F(WireAccount, CalibrationIsNoQuery) {
  from_client(0, test::ethernet(test::ipv4(test::kClient, test::kServer, 1, test::icmp(8, {1}))));
  from_server(20, test::ethernet(test::ipv4(test::kServer, test::kClient, 1, test::icmp(0, {1}))),
              Way::kLost);
  const BlockAccount account = this->account();
  EXPECT_TRUE(account.is_sound());
  EXPECT_EQ(account.calibration.to_server.sent, 1U);
  EXPECT_EQ(account.calibration.to_client.lost, 1U);
  EXPECT_EQ(account.queries.to_server.sent, 0U);
}

TEST_F(WireAccount, PortUnreachableCountsForTheQueryThatCausedIt) {
  const auto late = test::ipv4(test::kServer, test::kClient, 17, test::udp(53, 10001, "late"));
  from_server(0, test::ethernet(late));
  from_client(20, test::ethernet(test::ipv4(test::kClient, test::kServer, 1, test::icmp(3, late))));
  EXPECT_TRUE(account().is_sound());
  EXPECT_EQ(records_[0].wire->client.packets, 1U);
}

TEST_F(WireAccount, PacketsOfNobodyAreComplainedAbout) {
  from_client(0, test::query_frame(9999, "stray"));
  server_.packets.push_back(
      test::captured(5, Direction::kInbound, test::query_frame(10001, "from nowhere")));
  client_.packets.push_back(test::captured(6, Direction::kOutbound, {1, 2, 3}));
  client_.packets.push_back(test::captured(7, Direction::kUnknown, test::query_frame(10001, "")));
  const BlockAccount account = this->account();
  EXPECT_FALSE(account.is_sound());
  EXPECT_EQ(account.unaccounted, 4U);
  EXPECT_THAT(account.complaints,
              testing::UnorderedElementsAre("client packet 3: belongs to no query",
                                            "client packet 1: Ethernet header cut short",
                                            "client packet 2: its direction is not recorded",
                                            "server packet 1: arrived but was never sent"));
}

TEST_F(WireAccount, ForeignAddressesAreNamed) {
  from_client(0, test::ethernet(test::ipv4(test::kClient, "192.0.2.99", 17, test::udp(1, 2, ""))));
  const BlockAccount account = this->account();
  EXPECT_THAT(account.foreign_addresses, testing::ElementsAre("192.0.2.99"));
  EXPECT_FALSE(account.is_sound());
}

TEST_F(WireAccount, CaptureThatDroppedIsNotSound) {
  client_.counters.dropped = 1;
  EXPECT_EQ(account().capture_drops, 1U);
  client_.counters.dropped = 0;
  client_.packets.push_back(
      test::captured(1, Direction::kOutbound, test::query_frame(10001, "cut")));
  client_.packets.back().original_length += 100;
  const BlockAccount account = this->account();
  EXPECT_EQ(account.truncated, 1U);
  EXPECT_FALSE(account.is_sound());
}

// netem may flip any bit, that of a port included: the packet is still the query's.
TEST_F(WireAccount, PacketsOfAPreparationAreAccountedApart) {
  records_[0].preparation = captures::Preparation{.client_packets = 2, .server_packets = 1};
  from_client(0, test::query_frame(10001, "before"));
  from_server(20, test::answer_frame(10001, "before"));
  from_client(40, test::query_frame(10001, "thanks"));
  from_client(100, test::query_frame(10001, "question"), Way::kLost);
  from_client(200, test::query_frame(10001, "again"));
  from_server(220, test::answer_frame(10001, "answer"));
  const BlockAccount account = this->account();
  EXPECT_TRUE(account.is_sound());
  EXPECT_EQ(account.preparation.to_server.sent, 2U);
  EXPECT_EQ(account.preparation.to_client.sent, 1U);
  EXPECT_EQ(account.queries.to_server.sent, 2U);
  EXPECT_EQ(account.queries.to_server.lost, 1U);
  EXPECT_EQ(account.queries.to_client.sent, 1U);
  EXPECT_EQ(records_[0].wire->client.packets, 2U);
  EXPECT_EQ(records_[0].wire->server.packets, 1U);
  EXPECT_THAT(records_[0].lost, testing::ElementsAre(captures::LostPacket{"client", 1, "netem"}));
}

TEST_F(WireAccount, CorruptionLeavesAccountsWhole) {
  test::Bytes frame = test::query_frame(10001, "question");
  from_client(0, frame, Way::kLost);
  frame[14 + 20 + 1] ^= 0x10U;
  server_.packets.push_back(
      test::captured(1'000'000'000'000LL + 20'000'000, Direction::kInbound, frame));
  const BlockAccount account = this->account();
  EXPECT_TRUE(account.is_sound()) << testing::PrintToString(account.complaints);
  EXPECT_EQ(account.queries.to_server.corrupted, 1U);
  EXPECT_EQ(account.queries.to_server.lost, 0U);
  EXPECT_EQ(records_[0].wire->client.packets, 1U);
}

TEST_F(WireAccount, DuplicatesAreNoExtraPackets) {
  from_client(0, test::query_frame(10001, "question"));
  server_.packets.push_back(server_.packets.back());
  const BlockAccount account = this->account();
  EXPECT_TRUE(account.is_sound());
  EXPECT_EQ(account.queries.to_server.sent, 1U);
  EXPECT_EQ(account.queries.to_server.duplicated, 1U);
}

TEST_F(WireAccount, BlocksAddUp) {
  from_client(0, test::query_frame(10001, "question"));
  from_client(5, test::query_frame(10002, "question"), Way::kLost);
  const BlockAccount one = account();
  BlockAccount sum;
  merge(sum, one);
  merge(sum, one);
  EXPECT_EQ(sum.queries.to_server.sent, 4U);
  EXPECT_EQ(sum.queries.to_server.lost, 2U);
  EXPECT_EQ(sum.queries.to_server.min_delay, 20ms);
  EXPECT_EQ(to_json(sum)["queries"]["client_to_server"]["sent_bytes"], 4 * 36);
}

TEST_F(WireAccount, MalformedCaptureIsAnErrorThatNamesIt) {
  std::istringstream client("rubbish");
  std::istringstream server;
  try {
    examine_block({client, server}, records_, lab_).account;
    FAIL() << "no exception";
  } catch (const base::LabError& error) {
    EXPECT_STREQ(error.what(), "capture of the client: block 1: file ends within a block header");
  }
}

}  // namespace
}  // namespace analysis
