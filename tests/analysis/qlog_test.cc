// Traces of exchanges made by hand, line by line, and of lookups over our own transport.

#include "analysis/qlog.hh"

#include "tests/analysis/explained_lookup.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace analysis {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr QlogTitle kTitle{};

// The texts of a sequence, each of which must be framed as RFC 7464 says.
std::vector<std::string> records_of(std::string_view text) {
  std::vector<std::string> records;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    EXPECT_EQ(text.front(), '\x1e');
    EXPECT_NE(end, std::string_view::npos);
    if (end == std::string_view::npos) break;
    records.emplace_back(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
  }
  return records;
}

std::vector<Json> parsed(std::string_view text) {
  std::vector<Json> all;
  for (const std::string& record : records_of(text)) all.push_back(Json::parse(record));
  return all;
}

QuicFrame frame(std::uint64_t type) {
  QuicFrame made;
  made.type = type;
  return made;
}

QuicPacket packet(QuicPacketType type, std::uint64_t number, std::vector<QuicFrame> frames) {
  QuicPacket made;
  made.type = type;
  made.version = 1;
  made.dcid = {0xaa, 0x01};
  if (type != QuicPacketType::kOneRtt) made.scid = {0xbb};
  made.size = 100;
  made.number = number;
  made.frames = std::move(frames);
  return made;
}

PacketEvent event(End from, std::int64_t sent_ns, std::vector<QuicPacket> packets) {
  PacketEvent made;
  made.from = from;
  made.sent_ns = sent_ns;
  made.arrived_ns = sent_ns + 20'000'000;
  made.packet.protocol = Protocol::kQuic;
  made.packet.quic = std::move(packets);
  return made;
}

// A first flight of two, the answer with what was coalesced, and the close.
Exchange small_exchange() {
  QuicFrame crypto = frame(quic_frame::kCrypto);
  crypto.offset = 3;
  crypto.length = 40;
  QuicFrame padding = frame(quic_frame::kPadding);
  padding.length = 7;
  QuicFrame ack = frame(quic_frame::kAck);
  ack.ack_delay = 100;
  ack.ranges = {{.smallest = 4, .largest = 6}, {.smallest = 0, .largest = 0}};
  QuicFrame stream = frame(quic_frame::kStream);
  stream.stream = 4;
  stream.length = 12;
  stream.fin = true;
  QuicFrame close = frame(quic_frame::kApplicationClose);
  close.error_code = 2;
  QuicPacket initial = packet(QuicPacketType::kInitial, 0, {crypto, padding});
  initial.token = {1, 2, 3};
  QuicPacket closed = packet(QuicPacketType::kHandshake, 0, {});
  closed.number.reset();
  closed.undecrypted = "no keys";
  Exchange exchange;
  exchange.events.push_back(event(End::kClient, 1'700'000'000'123'456'789, {initial}));
  exchange.events.push_back(event(End::kServer, 1'700'000'000'143'456'790,
                                  {closed, packet(QuicPacketType::kOneRtt, 0, {ack, stream})}));
  exchange.events.push_back(event(End::kClient, 1'700'000'000'163'456'791,
                                  {packet(QuicPacketType::kOneRtt, 1, {close})}));
  exchange.conversations.resize(1);
  exchange.conversations[0].handshake.server_ack_delay_exponent = 4;
  return exchange;
}

constexpr std::string_view kInitialData =
    R"("group_id":"aa01","data":{"header":{"packet_type":"initial","packet_number":0,)"
    R"("token":{"length":3},"version":"00000001","scid":"bb","dcid":"aa01"},)"
    R"("raw":{"length":100},"frames":[{"frame_type":"crypto","offset":3,"length":40},)"
    R"({"frame_type":"padding","payload_length":7}]}})";

TEST(Qlog, IsOneLineForEachPacketOfAnEnd) {
  const auto lines =
      records_of(qlog_of(small_exchange(), End::kClient,
                         {.query = "doq:17 of loss2pct", .description = "lost \"1\""}));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0],
            R"({"qlog_version":"0.4","qlog_format":"JSON-SEQ",)"
            R"("title":"doq:17 of loss2pct, client, made from captures by labrun",)"
            R"("description":"lost \"1\"","trace":{"common_fields":{"protocol_type":["QUIC"],)"
            R"("time_format":"relative","reference_time":1700000000123.456789},)"
            R"("vantage_point":{"name":"labrun","type":"client"}}})");
  EXPECT_EQ(lines[1], R"({"time":0.000000,"name":"quic:packet_sent",)" + std::string(kInitialData));
  EXPECT_EQ(lines[2], R"({"time":40.000001,"name":"quic:packet_received","group_id":"aa01","data":)"
                      R"({"header":{"packet_type":"handshake","version":"00000001","scid":"bb",)"
                      R"("dcid":"aa01"},"raw":{"length":100},"labrun_undecrypted":"no keys"}})");
  EXPECT_EQ(lines[3],
            R"({"time":40.000001,"name":"quic:packet_received","group_id":"aa01","data":)"
            R"({"header":{"packet_type":"1RTT","packet_number":0,"dcid":"aa01"},)"
            R"("raw":{"length":100},"frames":[{"frame_type":"ack","ack_delay":1.6,)"
            R"("acked_ranges":[[4,6],[0]]},{"frame_type":"stream","stream_id":4,"offset":0,)"
            R"("length":12,"fin":true}]}})");
  EXPECT_EQ(lines[4], R"({"time":40.000002,"name":"quic:packet_sent","group_id":"aa01","data":)"
                      R"({"header":{"packet_type":"1RTT","packet_number":1,"dcid":"aa01"},)"
                      R"("raw":{"length":100},"frames":[{"frame_type":"connection_close",)"
                      R"("error_space":"application","error_code":2}]}})");
}

TEST(Qlog, TheOtherEndSeesThemWhenTheyArrive) {
  const auto lines = records_of(qlog_of(small_exchange(), End::kServer, kTitle));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_THAT(lines[0], HasSubstr(R"("type":"server")"));
  EXPECT_EQ(lines[1],
            R"({"time":20.000000,"name":"quic:packet_received",)" + std::string(kInitialData));
  EXPECT_THAT(lines[2], HasSubstr(R"({"time":20.000001,"name":"quic:packet_sent")"));
  EXPECT_THAT(lines[4], HasSubstr(R"({"time":60.000002,"name":"quic:packet_received")"));
}

TEST(Qlog, WhatWasLostOrSpoiltWasNotReceived) {
  Exchange exchange = small_exchange();
  exchange.events[0].arrived_ns.reset();
  exchange.events[2].corrupted = true;
  const std::string server = qlog_of(exchange, End::kServer, kTitle);
  EXPECT_THAT(server, AllOf(Not(HasSubstr("received")), HasSubstr("packet_sent")));
  EXPECT_EQ(records_of(qlog_of(exchange, End::kClient, kTitle)).size(), 5U);
}

TEST(Qlog, ReceiptsAreInTheOrderOfArrival) {
  Exchange exchange = small_exchange();
  *exchange.events[0].arrived_ns += 50'000'000;
  const auto lines = records_of(qlog_of(exchange, End::kServer, kTitle));
  EXPECT_THAT(lines[1], HasSubstr("packet_sent"));
  EXPECT_THAT(lines.back(), HasSubstr(R"("time":70.000000)"));
}

TEST(Qlog, WhatCameBeforeTheQueryOnItsConnectionIsPartOfTheTrace) {
  Exchange exchange = small_exchange();
  exchange.earlier.push_back(exchange.events.front());
  exchange.events.erase(exchange.events.begin());
  EXPECT_EQ(qlog_of(exchange, End::kClient, kTitle),
            qlog_of(small_exchange(), End::kClient, kTitle));
}

TEST(Qlog, OtherTransportsHaveNone) {
  Exchange exchange;
  EXPECT_THAT(qlog_of(exchange, End::kClient, kTitle), IsEmpty());
  exchange.events.push_back(event(End::kClient, 5, {}));
  EXPECT_THAT(qlog_of(exchange, End::kClient, kTitle), IsEmpty());
}

TEST(Qlog, TitlesMayHoldAnything) {
  const std::string text =
      qlog_of(small_exchange(), End::kClient, {.query = "\xff{}\n", .description = "\x1e"});
  EXPECT_EQ(parsed(text)[0].at("description"), "\x1e");
}

TEST(Qlog, LookupsOfOurOwnTransportAreWhole) {
  test::ExplainedLookup lookup(2000, "X25519MLKEM768", transport::RetryPolicy::kAlways);
  lookup.drop(End::kServer, 2);
  lookup.run();
  for (const End end : {End::kClient, End::kServer}) {
    const auto records = parsed(qlog_of(lookup.exchange, end, kTitle));
    std::size_t packets = 0;
    for (const PacketEvent& one : lookup.exchange.events)
      packets += one.from == end || one.useful() ? one.packet.quic.size() : 0;
    EXPECT_EQ(records.size(), 1 + packets) << to_string(end);
    double last = 0;
    std::string names;
    for (std::size_t index = 1; index < records.size(); ++index) {
      const double time = records[index].at("time").get<double>();
      EXPECT_GE(time, last) << records[index];
      last = time;
      const Json& data = records[index].at("data");
      EXPECT_GT(data.at("raw").at("length"), 0) << records[index];
      names += data.at("header").at("packet_type").get<std::string>() + ' ';
      EXPECT_FALSE(data.contains("labrun_undecrypted")) << records[index];
    }
    EXPECT_THAT(names,
                AllOf(HasSubstr("retry initial"), HasSubstr("handshake"), HasSubstr("1RTT")));
    EXPECT_THAT(names, Not(HasSubstr("unknown")));
  }
}

}  // namespace
}  // namespace analysis
