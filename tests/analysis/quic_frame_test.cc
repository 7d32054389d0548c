#include "analysis/quic_frame.hh"

#include "base/rng.hh"
#include "tests/analysis/sealing.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using transport::Bytes;
using transport::ByteSpan;

QuicFrame only_frame(const Bytes& bytes) {
  const auto frames = parse_quic_frames(bytes);
  EXPECT_TRUE(frames) << frames.error();
  EXPECT_THAT(*frames, SizeIs(1));
  return frames->front();
}

std::string error_of(ByteSpan bytes) {
  const auto frames = parse_quic_frames(bytes);
  return frames ? "" : frames.error();
}

// One of each type, with names as viewers have them. All end where their fields end.
std::map<std::string, Bytes> one_of_each() {
  Bytes new_connection_id{0x18, 1, 0, 4, 1, 2, 3, 4};
  new_connection_id.resize(new_connection_id.size() + 16);
  return {{"PING", {0x01}},
          {"ACK", {0x02, 10, 5, 0, 2}},
          {"ACK_ECN", {0x03, 10, 5, 0, 2, 1, 2, 3}},
          {"RESET_STREAM", {0x04, 4, 7, 9}},
          {"STOP_SENDING", {0x05, 4, 7}},
          {"CRYPTO", {0x06, 3, 2, 'a', 'b'}},
          {"NEW_TOKEN", {0x07, 2, 'a', 'b'}},
          {"STREAM", {0x0f, 4, 3, 2, 'a', 'b'}},
          {"MAX_DATA", {0x10, 1}},
          {"MAX_STREAM_DATA", {0x11, 4, 1}},
          {"MAX_STREAMS", {0x12, 1}},
          {"MAX_STREAMS_UNI", {0x13, 1}},
          {"DATA_BLOCKED", {0x14, 1}},
          {"STREAM_DATA_BLOCKED", {0x15, 4, 1}},
          {"STREAMS_BLOCKED", {0x16, 1}},
          {"STREAMS_BLOCKED_UNI", {0x17, 1}},
          {"NEW_CONNECTION_ID", new_connection_id},
          {"RETIRE_CONNECTION_ID", {0x19, 1}},
          {"PATH_CHALLENGE", {0x1a, 1, 2, 3, 4, 5, 6, 7, 8}},
          {"PATH_RESPONSE", {0x1b, 1, 2, 3, 4, 5, 6, 7, 8}},
          {"CONNECTION_CLOSE", {0x1c, 7, 6, 2, 'n', 'o'}},
          {"CONNECTION_CLOSE_APP", {0x1d, 7, 2, 'n', 'o'}},
          {"HANDSHAKE_DONE", {0x1e}},
          {"DATAGRAM", {0x31, 2, 'a', 'b'}}};
}

TEST(QuicFrame, EveryTypeIsReadToItsEnd) {
  for (const auto& [name, bytes] : one_of_each()) {
    Bytes doubled = bytes;
    transport::append(doubled, bytes);
    const auto frames = parse_quic_frames(doubled);
    ASSERT_TRUE(frames) << name << ": " << frames.error();
    ASSERT_THAT(*frames, SizeIs(2)) << name;
    EXPECT_EQ(frame_name((*frames)[1].type), name);
    const bool answers_nothing = name.starts_with("ACK") || name.starts_with("CONNECTION_CLOSE");
    EXPECT_EQ((*frames)[1].ack_eliciting(), !answers_nothing) << name;
  }
}

TEST(QuicFrame, NoCutFramePasses) {
  for (const auto& [name, bytes] : one_of_each())
    for (std::size_t size = 1; size < bytes.size(); ++size)
      EXPECT_THAT(error_of(ByteSpan(bytes).first(size)), HasSubstr("byte 0: ")) << name << size;
}

TEST(QuicFrame, FieldsAreWhereTheyBelong) {
  const auto all = one_of_each();
  const QuicFrame crypto = only_frame(all.at("CRYPTO"));
  EXPECT_EQ(crypto.offset, 3U);
  EXPECT_EQ(crypto.length, 2U);
  const QuicFrame reset = only_frame(all.at("RESET_STREAM"));
  EXPECT_EQ(reset.stream, 4U);
  EXPECT_EQ(reset.error_code, 7U);
  EXPECT_EQ(reset.length, 9U);
  for (const char* name : {"CONNECTION_CLOSE", "CONNECTION_CLOSE_APP"}) {
    const Bytes& bytes = all.at(name);
    const QuicFrame close = only_frame(bytes);
    EXPECT_EQ(close.error_code, 7U);
    EXPECT_TRUE(std::ranges::equal(close.data, Bytes{'n', 'o'})) << name;
  }
  const Bytes& id = all.at("NEW_CONNECTION_ID");
  EXPECT_TRUE(std::ranges::equal(only_frame(id).data, Bytes{1, 2, 3, 4}));
}

TEST(QuicFrame, StreamFlagsSayWhatIsThere) {
  for (unsigned flags = 0; flags < 8; ++flags) {
    Bytes bytes{static_cast<std::uint8_t>(0x08 + flags), 4};
    if ((flags & 4U) != 0) bytes.push_back(9);
    if ((flags & 2U) != 0) bytes.push_back(3);
    transport::append(bytes, Bytes{'a', 'b', 'c'});
    const QuicFrame frame = only_frame(bytes);
    EXPECT_EQ(frame.type, quic_frame::kStream);
    EXPECT_EQ(frame.stream, 4U);
    EXPECT_EQ(frame.offset, (flags & 4U) != 0 ? 9U : 0U);
    EXPECT_EQ(frame.length, 3U);
    EXPECT_EQ(frame.fin, (flags & 1U) != 0);
  }
}

TEST(QuicFrame, PaddingIsOneFramePerRun) {
  Bytes bytes(100, 0);
  bytes[0] = bytes[60] = quic_frame::kPing;
  const auto frames = parse_quic_frames(bytes);
  ASSERT_TRUE(frames);
  ASSERT_THAT(*frames, SizeIs(4));
  EXPECT_EQ((*frames)[1].length, 59U);
  EXPECT_EQ((*frames)[3].length, 39U);
  EXPECT_FALSE((*frames)[3].ack_eliciting());
  // A type that is written longer than need be, as RFC 9000 section 12.4 forbids.
  EXPECT_EQ(only_frame({0x80, 0, 0, 0}).length, 4U);
}

TEST(QuicFrame, AckRangesCountDownwards) {
  // 8-10, then a gap of two (6, 7), then 2-5, then a gap of one (1), then 0.
  const QuicFrame frame = only_frame({0x02, 10, 0x40, 0x99, 2, 2, 1, 3, 0, 0});
  EXPECT_EQ(frame.ack_delay, 0x99U);
  EXPECT_THAT(frame.ranges, ElementsAre(AckRange{.smallest = 8, .largest = 10},
                                        AckRange{.smallest = 2, .largest = 5},
                                        AckRange{.smallest = 0, .largest = 0}));
}

TEST(QuicFrame, AckRangesBelowZeroContradict) {
  EXPECT_EQ(error_of(Bytes{0x02, 10, 0, 0, 11}), "byte 0: malformed frame");
  EXPECT_EQ(error_of(Bytes{0x02, 10, 0, 1, 2, 7, 0}), "byte 0: malformed frame");
  EXPECT_EQ(error_of(Bytes{0x02, 10, 0, 1, 2, 3, 4}), "byte 0: malformed frame");
  Bytes largest_gap{0x02, 10, 0, 1, 2};
  transport::append(largest_gap, Bytes(8, 0xff));
  largest_gap.push_back(0);
  EXPECT_EQ(error_of(largest_gap), "byte 0: malformed frame");
  // As many ranges as a varint can promise.
  Bytes promise{0x02, 10, 0};
  transport::append(promise, Bytes(8, 0xff));
  transport::append(promise, Bytes{0, 0, 0});
  EXPECT_EQ(error_of(promise), "byte 0: frame cut short");
}

TEST(QuicFrame, ErrorsNameTheByte) {
  EXPECT_EQ(error_of({}), "a packet without frames");
  EXPECT_EQ(error_of(Bytes{0x01, 0x01, 0x3f}), "byte 2: malformed frame");
  EXPECT_EQ(error_of(Bytes{0x01, 0x06, 0, 5, 'a'}), "byte 1: frame cut short");
  EXPECT_EQ(frame_name(0x3f), "0x3f");
}

TEST(QuicFrame, DataLiesWithinThePacketWhateverItsBytes) {
  base::Rng rng(1);
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes(1 + rng.below(40));
    for (std::uint8_t& byte : bytes)
      byte = static_cast<std::uint8_t>(rng.below(rng.below(256) + 1));
    const auto frames = parse_quic_frames(bytes);
    if (!frames) {
      EXPECT_FALSE(frames.error().empty());
      continue;
    }
    for (const QuicFrame& frame : *frames) {
      EXPECT_LE(frame.data.size(), bytes.size());
      for (const AckRange& range : frame.ranges) EXPECT_LE(range.smallest, range.largest);
    }
  }
}

}  // namespace
}  // namespace analysis
