#include "captures/tcp_header.hh"

#include "tests/captures/frame_builder.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace captures {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint8_t kSyn = 0x02;
constexpr std::uint8_t kAck = 0x10;

// A header with these options, filled up with zeroes to a multiple of four bytes, and no payload.
test::Bytes segment(std::uint8_t flags, test::Bytes options) {
  options.resize((options.size() + 3) / 4 * 4);
  test::Bytes bytes{0xc3, 0x50, 3, 0x55,  1,    2,    3, 4, 0xf1, 0xf2,
                    0xf3, 0xf4, 0, flags, 0xfa, 0xf0, 0, 0, 0,    0};
  bytes[12] = static_cast<std::uint8_t>((5 + options.size() / 4) << 4U);
  return test::joined(bytes, options);
}

TEST(TcpHeader, NumbersFlagsAndWindow) {
  const auto header = parse_tcp_header(segment(kAck | 0x08, {})).value();
  EXPECT_EQ(header.sequence, 0x01020304U);
  EXPECT_EQ(header.acknowledgement, 0xf1f2f3f4U);
  EXPECT_EQ(header.window, 64240);
  EXPECT_EQ(header.header_length, 20);
  EXPECT_TRUE(header.ack && header.psh);
  EXPECT_FALSE(header.fin || header.syn || header.rst);
  EXPECT_THAT(header.sack_blocks(), IsEmpty());
  EXPECT_FALSE(header.timestamps || header.max_segment_size || header.window_scale);
}

TEST(TcpHeader, EachFlagIsItsOwnBit) {
  const auto flags = [](std::uint8_t bits) {
    const auto header = parse_tcp_header(segment(bits, {})).value();
    return std::vector<bool>{header.fin, header.syn, header.rst, header.psh, header.ack};
  };
  EXPECT_THAT(flags(0x01), ElementsAre(true, false, false, false, false));
  EXPECT_THAT(flags(0x02), ElementsAre(false, true, false, false, false));
  EXPECT_THAT(flags(0x04), ElementsAre(false, false, true, false, false));
  EXPECT_THAT(flags(0x08), ElementsAre(false, false, false, true, false));
  EXPECT_THAT(flags(0x10), ElementsAre(false, false, false, false, true));
  EXPECT_THAT(flags(0xe0), ElementsAre(false, false, false, false, false));
}

// The options that Linux puts into its SYN: MSS, SACK permitted, timestamps, no operation, window
// scale.
const test::Bytes kSynOptions{2, 4, 5, 0xb4, 4, 2, 8, 10, 0, 0, 1, 0, 0, 0, 0, 9, 1, 3, 3, 7};

TEST(TcpHeader, OptionsOfASyn) {
  const auto header = parse_tcp_header(segment(kSyn, kSynOptions)).value();
  EXPECT_EQ(header.header_length, 40);
  EXPECT_EQ(header.max_segment_size, 1460);
  EXPECT_EQ(header.timestamps, (TcpTimestamps{.value = 256, .echo_reply = 9}));
  EXPECT_EQ(header.window_scale, 7);
}

TEST(TcpHeader, ScaleAndSegmentSizeMeanNothingBehindTheSyn) {
  const auto header = parse_tcp_header(segment(kAck, kSynOptions)).value();
  EXPECT_FALSE(header.max_segment_size);
  EXPECT_FALSE(header.window_scale);
  EXPECT_TRUE(header.timestamps);
}

test::Bytes sack_option(unsigned blocks) {
  test::Bytes option{5, static_cast<std::uint8_t>(2 + 8 * blocks)};
  for (unsigned edge = 0; edge < 2 * blocks; ++edge) {
    test::append_16(option, 0x8000);
    test::append_16(option, 100 * edge);
  }
  return option;
}

TEST(TcpHeader, SelectiveAcknowledgements) {
  constexpr std::uint32_t kBase = 0x80000000;
  const auto two = parse_tcp_header(segment(kAck, test::joined({1, 1}, sack_option(2)))).value();
  EXPECT_THAT(two.sack_blocks(),
              ElementsAre(SackBlock{kBase, kBase + 100}, SackBlock{kBase + 200, kBase + 300}));
  const auto four = parse_tcp_header(segment(kAck, sack_option(4))).value();
  EXPECT_EQ(four.sack_blocks().size(), 4U);
  EXPECT_EQ(four.sack_blocks()[3].right, kBase + 700);
}

TEST(TcpHeader, AMalformedOptionEndsTheOptionsOnly) {
  const test::Bytes timestamps{8, 10, 0, 0, 0, 1, 0, 0, 0, 2};
  for (const test::Bytes& malformed :
       {test::Bytes{5, 2}, test::Bytes{5, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0}, test::Bytes{2, 3, 5},
        test::Bytes{3, 4, 7, 0}, test::Bytes{253, 0}, test::Bytes{253, 1}}) {
    const auto behind =
        parse_tcp_header(
            segment(kSyn, test::joined(timestamps, test::joined(malformed, {3, 3, 7}))))
            .value();
    EXPECT_TRUE(behind.timestamps) << int{malformed[0]};
    EXPECT_THAT(behind.sack_blocks(), IsEmpty());
    EXPECT_FALSE(behind.max_segment_size || behind.window_scale) << int{malformed[0]};
  }
  // Longer than what is left of the header.
  EXPECT_FALSE(parse_tcp_header(segment(kAck, {1, 1, 8, 10}))->timestamps);
  // Unknown kinds are skipped, what lies behind the end of the list is not looked at.
  EXPECT_EQ(parse_tcp_header(segment(kSyn, {253, 4, 9, 9, 3, 3, 7}))->window_scale, 7);
  EXPECT_FALSE(parse_tcp_header(segment(kSyn, {0, 3, 3, 7}))->window_scale);
}

TEST(TcpHeader, EveryTruncationIsRefused) {
  const test::Bytes whole = segment(kSyn, kSynOptions);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(parse_tcp_header(std::span(whole).first(length))) << length;
  test::Bytes too_short = whole;
  too_short[12] = 4U << 4U;  // 16 bytes
  EXPECT_FALSE(parse_tcp_header(too_short));
}

}  // namespace
}  // namespace captures
