#include "analysis/quic_header.hh"

#include "base/rng.hh"
#include "tests/analysis/published_packets.hh"
#include "tests/analysis/sealing.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace analysis {
namespace {

using enum QuicPacketType;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using transport::Bytes;
using transport::ByteSpan;

const Bytes kDcid{1, 2, 3, 4, 5};
const Bytes kScid{6, 7};

// A long header up to its connection IDs.
Bytes long_header(std::uint8_t first, std::uint32_t version, const Bytes& dcid = kDcid,
                  const Bytes& scid = kScid) {
  Bytes bytes{first};
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    bytes.push_back(static_cast<std::uint8_t>(version >> shift));
  for (const Bytes& id : {dcid, scid}) {
    bytes.push_back(static_cast<std::uint8_t>(id.size()));
    transport::append(bytes, id);
  }
  return bytes;
}

// What follows an Initial's connection IDs: a token of three bytes, a length, 30 bytes.
Bytes initial_packet(std::uint8_t first = 0xc0, std::uint32_t version = 1) {
  Bytes bytes = long_header(first, version);
  transport::append(bytes, Bytes{3, 'a', 'b', 'c', 30});
  bytes.resize(bytes.size() + 30, 0xee);
  return bytes;
}

std::string_view error_of(ByteSpan datagram) {
  const auto header = parse_quic_header(datagram, 8);
  return header ? "" : header.error();
}

TEST(QuicHeader, InitialHasAToken) {
  const Bytes packet = initial_packet();
  const auto header = parse_quic_header(packet, 8);
  ASSERT_TRUE(header) << header.error();
  EXPECT_EQ(header->type, kInitial);
  EXPECT_EQ(header->version, 1U);
  EXPECT_TRUE(std::ranges::equal(header->dcid, kDcid));
  EXPECT_TRUE(std::ranges::equal(header->scid, kScid));
  EXPECT_TRUE(std::ranges::equal(header->token, Bytes{'a', 'b', 'c'}));
  EXPECT_EQ(header->number_offset, packet.size() - 30);
  EXPECT_EQ(header->size, packet.size());
  EXPECT_TRUE(header->long_header() && header->has_frames());
}

TEST(QuicHeader, TypesAreNumberedByVersion) {
  struct Row {
    QuicPacketType type;
    std::uint8_t v1, v2;  // RFC 9000 table 5, RFC 9369 section 3.2
  };
  for (const auto& [type, v1, v2] : {Row{kInitial, 0xc0, 0xd0}, Row{kZeroRtt, 0xd0, 0xe0},
                                     Row{kHandshake, 0xe0, 0xf0}, Row{kRetry, 0xf0, 0xc0}}) {
    for (const bool second : {false, true}) {
      Bytes packet = long_header(second ? v2 : v1, second ? 0x6b3343cf : 1);
      if (type == kInitial) packet.push_back(0);
      packet.push_back(20);
      packet.resize(packet.size() + 20);
      const auto header = parse_quic_header(packet, 8);
      ASSERT_TRUE(header) << header.error();
      EXPECT_EQ(header->type, type);
      EXPECT_EQ(header->has_frames(), type != kRetry);
      EXPECT_EQ(header->size, packet.size());
    }
  }
}

TEST(QuicHeader, RetryIsTokenAndTag) {
  for (const PublishedPackets& published : kPublishedPackets) {
    const Bytes packet = from_hex(published.retry);
    const auto header = parse_quic_header(packet, 8);
    ASSERT_TRUE(header) << header.error();
    EXPECT_EQ(header->type, kRetry);
    EXPECT_THAT(header->dcid, IsEmpty());
    EXPECT_TRUE(std::ranges::equal(header->scid, from_hex("f067a5502a4262b5")));
    EXPECT_TRUE(std::ranges::equal(header->token, from_hex("746f6b656e")));
    EXPECT_EQ(error_of(ByteSpan(packet).first(packet.size() - 6)), "Retry packet cut short");
  }
}

TEST(QuicHeader, ShortHeaderIsTheRestOfTheDatagram) {
  const Bytes packet{0x41, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const auto header = parse_quic_header(packet, 8);
  ASSERT_TRUE(header) << header.error();
  EXPECT_EQ(header->type, kOneRtt);
  EXPECT_THAT(header->dcid, SizeIs(8));
  EXPECT_EQ(header->number_offset, 9U);
  EXPECT_EQ(header->size, packet.size());
  EXPECT_EQ(error_of(ByteSpan(packet).first(8)), "QUIC short header cut short");
  EXPECT_EQ(error_of(Bytes{0x01, 2, 3}), "not a QUIC packet");
}

TEST(QuicHeader, PacketsShareADatagram) {
  Bytes datagram = initial_packet();
  const std::size_t first_size = datagram.size();
  Bytes second = long_header(0xe0, 1);
  transport::append(second, Bytes{2, 0xaa, 0xbb});
  transport::append(datagram, second);
  transport::append(datagram, Bytes(20, 0x40));
  ByteSpan rest = datagram;
  std::vector<QuicPacketType> types;
  std::vector<std::size_t> sizes;
  while (!rest.empty()) {
    const auto header = parse_quic_header(rest, 8);
    ASSERT_TRUE(header) << header.error();
    types.push_back(header->type);
    sizes.push_back(header->size);
    rest = rest.subspan(header->size);
  }
  EXPECT_THAT(types, ElementsAre(kInitial, kHandshake, kOneRtt));
  EXPECT_THAT(sizes, ElementsAre(first_size, second.size(), 20U));
}

TEST(QuicHeader, VersionNegotiationListsVersions) {
  // Connection IDs may be longer than any version of today allows (RFC 8999 section 5.1).
  Bytes packet = long_header(0x8a, 0, Bytes(40, 1), Bytes(255, 2));
  transport::append(packet, Bytes{0, 0, 0, 1, 0x6b, 0x33, 0x43, 0xcf, 9, 9});
  const auto header = parse_quic_header(packet, 8);
  ASSERT_TRUE(header) << header.error();
  EXPECT_EQ(header->type, kVersionNegotiation);
  EXPECT_THAT(header->supported_versions, ElementsAre(1U, 0x6b3343cfU));
  EXPECT_FALSE(header->has_frames());
  EXPECT_EQ(header->size, packet.size());
}

TEST(QuicHeader, OddLongHeadersAreRefusedInWords) {
  EXPECT_EQ(error_of({}), "empty datagram");
  EXPECT_EQ(error_of(initial_packet(0xc0, 0x1a2a3a4a)), "unknown QUIC version");
  EXPECT_EQ(error_of(long_header(0xc0, 1, Bytes(21, 0))),
            "QUIC connection ID longer than 20 bytes");
  EXPECT_EQ(error_of(long_header(0xc0, 1, kDcid, Bytes(21, 0))),
            "QUIC connection ID longer than 20 bytes");
}

TEST(QuicHeader, NoCutPacketPasses) {
  const Bytes packet = initial_packet();
  for (std::size_t size = 0; size < packet.size(); ++size)
    EXPECT_FALSE(error_of(ByteSpan(packet).first(size)).empty()) << size;
}

TEST(LooksLikeQuic, AsksForALongHeader) {
  EXPECT_TRUE(looks_like_quic(initial_packet()));
  EXPECT_FALSE(looks_like_quic(Bytes(40, 0x41)));
  EXPECT_FALSE(looks_like_quic(initial_packet(0x80)));  // without the fixed bit
  EXPECT_FALSE(looks_like_quic(Bytes(40, 0xff)));
  EXPECT_FALSE(looks_like_quic({}));
}

TEST(FullPacketNumber, IsTheNearest) {
  // The example of RFC 9000 section A.3.
  EXPECT_EQ(full_packet_number(0x9b32, 2, 0xa82f30eb), 0xa82f9b32U);
  EXPECT_EQ(full_packet_number(0, 1, 0), 0U);
  EXPECT_EQ(full_packet_number(0xff, 1, 0), 0xffU);  // nothing lies before 0
  EXPECT_EQ(full_packet_number(0xff, 1, 0x100), 0xffU);
  EXPECT_EQ(full_packet_number(0x01, 1, 0xff), 0x101U);
  EXPECT_EQ(full_packet_number(0x80, 1, 0x100), 0x180U);  // both are 128 away: the larger
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 62U;
  EXPECT_EQ(full_packet_number(0, 1, kLimit - 1), kLimit - 256);  // nothing lies behind 2^62
  EXPECT_EQ(full_packet_number(0, 4, kLimit - 1), kLimit - (std::uint64_t{1} << 32U));
}

TEST(FullPacketNumber, IsFoundWithinHalfAWindow) {
  base::Rng rng(1);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t bytes = 1 + rng.below(4);
    const std::uint64_t window = std::uint64_t{1} << (8 * bytes);
    const std::uint64_t expected = rng.below(std::uint64_t{1} << 40U) + window;
    const std::uint64_t number = expected - window / 2 + 1 + rng.below(window);
    EXPECT_EQ(full_packet_number(number % window, bytes, expected), number);
  }
}

}  // namespace
}  // namespace analysis
