#include "analysis/key_schedule.hh"

#include "analysis/aead.hh"
#include "analysis/quic_frame.hh"
#include "analysis/quic_keys.hh"
#include "tests/analysis/published_packets.hh"
#include "tests/analysis/sealing.hh"

#include <gtest/gtest.h>

#include <format>

namespace analysis {
namespace {

using transport::Bytes;
using transport::ByteSpan;

constexpr std::uint64_t kPublishedNumber = 654'360'564;

struct PublishedKeys {
  QuicVersion version;
  End end;
  std::string_view secret, key, iv, header_key;
};

// RFC 9001 and RFC 9369, both appendix A.1.
constexpr PublishedKeys kPublishedKeys[]{
    {QuicVersion::kV1, End::kClient,
     "c00cf151ca5be075ed0ebfb5c80323c42d6b7db67881289af4008f1f6c357aea",
     "1f369613dd76d5467730efcbe3b1a22d", "fa044b2f42a3fd3b46fb255c",
     "9f50449e04a0e810283a1e9933adedd2"},
    {QuicVersion::kV1, End::kServer,
     "3c199828fd139efd216c155ad844cc81fb82fa8d7446fa7d78be803acdda951b",
     "cf3a5331653c364c88f0f379b6067e37", "0ac1493ca1905853b0bba03e",
     "c206b8d9b9f0f37644430b490eeaa314"},
    {QuicVersion::kV2, End::kClient,
     "14ec9d6eb9fd7af83bf5a668bc17a7e283766aade7ecd0891f70f9ff7f4bf47b",
     "8b1a0bc121284290a29e0971b5cd045d", "91f73e2351d8fa91660e909f",
     "45b95e15235d6f45a6b19cbcb0294ba9"},
    {QuicVersion::kV2, End::kServer,
     "0263db1782731bf4588e7e4d93b7463907cb8cd8200b5da55a8bd488eafc37c1",
     "82db637861d55e1d011f19ea71d5d2a7", "dd13c276499c0249d3310652",
     "edf6d05c83121201b436e16877593c3a"}};

TEST(KeySchedule, InitialKeysAreThePublishedOnes) {
  for (const PublishedKeys& published : kPublishedKeys) {
    const Secret secret =
        initial_secret(published.version, from_hex(kPublishedDcid), published.end);
    EXPECT_EQ(secret, from_hex(published.secret));
    const std::string prefix = published.version == QuicVersion::kV2 ? "quicv2 " : "quic ";
    constexpr CipherSuite kSuite = CipherSuite::kAes128Gcm;
    EXPECT_EQ(expand_label(kSuite, secret, prefix + "key", 16), from_hex(published.key));
    EXPECT_EQ(expand_label(kSuite, secret, prefix + "iv", 12), from_hex(published.iv));
    EXPECT_EQ(expand_label(kSuite, secret, prefix + "hp", 16), from_hex(published.header_key));
  }
}

TEST(KeySchedule, KeyUpdateIsThePublishedOne) {
  for (const PublishedPackets& published : kPublishedPackets) {
    const char* label = published.version == QuicVersion::kV2 ? "quicv2 ku" : "quic ku";
    EXPECT_EQ(expand_label(CipherSuite::kChaCha20Poly1305, from_hex(kPublishedSecret), label, 32),
              from_hex(published.updated_secret));
  }
}

TEST(KeySchedule, EmptyConnectionIdHasKeysToo) {
  EXPECT_EQ(initial_secret(QuicVersion::kV1, {}, End::kClient).size(), 32U);
}

TEST(KeySchedule, KnowsItsVersionsAndSuites) {
  EXPECT_EQ(known_quic_version(1), QuicVersion::kV1);
  EXPECT_EQ(known_quic_version(0x6b3343cf), QuicVersion::kV2);
  for (const std::uint32_t draft : {29U, 30U, 31U, 32U})
    EXPECT_EQ(known_quic_version(0xff000000 + draft), QuicVersion::kDraft29);
  for (const std::uint32_t other : {0U, 2U, 0xff00001cU, 0xff000021U, 0x1a2a3a4aU})
    EXPECT_FALSE(known_quic_version(other)) << other;
  EXPECT_FALSE(known_cipher_suite(0x1300));
  EXPECT_EQ(known_cipher_suite(0x1303), CipherSuite::kChaCha20Poly1305);
  EXPECT_FALSE(known_cipher_suite(0x1304));
}

// RFC 8448 section 3: the client's 50 bytes of application data.
TEST(RecordProtection, OpensThePublishedRecord) {
  const Bytes record = from_hex(
      "1703030043a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b46b395bd54a9a2044"
      "1e2b62974e1f5a6292a2977014bd1e3deae63aeebb21694915e4");
  const Aead keys = record_protection(
      CipherSuite::kAes128Gcm,
      from_hex("9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5"));
  const ByteSpan header = ByteSpan(record).first(5);
  const ByteSpan body = ByteSpan(record).subspan(5);
  const auto opened = keys.open(0, header, body);
  ASSERT_TRUE(opened);
  ASSERT_EQ(opened->size(), 51U);
  EXPECT_EQ((*opened)[49], 49);
  EXPECT_EQ(opened->back(), 23);
  EXPECT_FALSE(keys.open(1, header, body));
  EXPECT_FALSE(keys.open(0, header.first(4), body));
  EXPECT_FALSE(keys.open(0, header, body.first(body.size() - 1)));
  EXPECT_FALSE(keys.open(0, header, body.first(Aead::kTagBytes - 1)));
}

TEST(QuicKeys, OpenThePublishedInitials) {
  for (const PublishedPackets& published : kPublishedPackets) {
    const SecretStore secrets;
    const HandshakeFacts facts;
    QuicKeys keys(secrets, facts);
    const auto open = [&](End from, std::string_view digits) {
      const Bytes packet = from_hex(digits);
      const auto header = parse_quic_header(packet, 0);
      EXPECT_EQ(header->type, QuicPacketType::kInitial);
      EXPECT_EQ(header->size, packet.size());
      return keys.open(from, *header, packet, 0);
    };
    const auto early = open(End::kServer, published.server_initial);
    ASSERT_FALSE(early);
    EXPECT_EQ(early.error(), "the client's first Initial packet is not in the capture");
    const auto client = open(End::kClient, published.client_initial);
    ASSERT_TRUE(client) << client.error();
    EXPECT_EQ(client->number, 2U);
    const auto frames = parse_quic_frames(client->plaintext);
    ASSERT_EQ(frames->size(), 2U);
    EXPECT_EQ((*frames)[0].type, quic_frame::kCrypto);
    EXPECT_EQ((*frames)[0].length, 241U);
    EXPECT_EQ((*frames)[1].length, 917U);
    const auto server = open(End::kServer, published.server_initial);
    ASSERT_TRUE(server) << server.error();
    EXPECT_EQ(server->number, 1U);
    const auto answer = parse_quic_frames(server->plaintext);
    ASSERT_EQ(answer->size(), 2U);
    EXPECT_EQ((*answer)[0].ranges, (std::vector<AckRange>{{.smallest = 0, .largest = 0}}));
    EXPECT_EQ((*answer)[1].length, 90U);
  }
}

TEST(QuicKeys, EveryBitOfAnInitialCounts) {
  const Bytes packet = from_hex(kPublishedPackets[0].server_initial);
  for (std::size_t at = 0; at < packet.size(); ++at) {
    const SecretStore secrets;
    const HandshakeFacts facts;
    QuicKeys keys(secrets, facts);
    const Bytes first = from_hex(kPublishedPackets[0].client_initial);
    ASSERT_TRUE(keys.open(End::kClient, *parse_quic_header(first, 0), first, 0));
    Bytes damaged = packet;
    damaged[at] ^= 1U;
    const auto header = parse_quic_header(damaged, 0);
    if (!header || header->type != QuicPacketType::kInitial) continue;
    EXPECT_FALSE(keys.open(End::kServer, *header, ByteSpan(damaged).first(header->size), 0)) << at;
  }
}

TEST(QuicKeys, OpenThePublishedShortHeaders) {
  const std::string random(64, '7');
  SecretStore secrets;
  secrets.add(std::format("CLIENT_TRAFFIC_SECRET_0 {} {}\n", random, kPublishedSecret));
  HandshakeFacts facts;
  facts.client_random.emplace().fill(0x77);
  for (const PublishedPackets& published : kPublishedPackets) {
    QuicKeys keys(secrets, facts);
    const Bytes first = from_hex(published.client_initial);  // tells the version
    ASSERT_TRUE(keys.open(End::kClient, *parse_quic_header(first, 0), first, 0));
    const Bytes packet = from_hex(published.short_header);
    const auto header = parse_quic_header(packet, 0);
    for (int round = 0; round < 2; ++round) {  // the second time with keys that are known to fit
      const auto opened = keys.open(End::kClient, *header, packet, kPublishedNumber - 1);
      ASSERT_TRUE(opened) << opened.error();
      EXPECT_EQ(opened->number, kPublishedNumber);
      EXPECT_EQ(opened->plaintext, Bytes{quic_frame::kPing});
    }
    const auto other = keys.open(End::kServer, *header, packet, kPublishedNumber);
    EXPECT_EQ(other.error(), "its key is not among those in the capture");
  }
}

// RFC 9001 section 6: the phase bit flips, keys change, header protection stays; a packet of the
// phase before may come late.
TEST(QuicKeys, FollowKeyUpdates) {
  const std::string random(64, '7');
  const std::string digits(64, '5');
  SecretStore secrets;
  secrets.add(std::format("SERVER_TRAFFIC_SECRET_0 {} {}\n", random, digits));
  HandshakeFacts facts;
  facts.client_random.emplace().fill(0x77);
  facts.cipher_suite = static_cast<std::uint16_t>(CipherSuite::kAes128Gcm);
  QuicKeys keys(secrets, facts);
  std::vector<Secret> generations{from_hex(digits)};
  for (int update = 0; update < 3; ++update)
    generations.push_back(expand_label(CipherSuite::kAes128Gcm, generations.back(), "quic ku", 32));
  const auto opens = [&](std::uint64_t number, std::size_t generation) {
    PlainPacket packet{.type = QuicPacketType::kOneRtt,
                       .dcid = {1, 2, 3},
                       .scid = {},
                       .token = {},
                       .number = number,
                       .phase = generation % 2 == 1,
                       .frames = Bytes(20, quic_frame::kPing)};
    const Bytes sealed = seal_packet(packet, {.suite = CipherSuite::kAes128Gcm,
                                              .secret = generations[generation],
                                              .header_secret = generations[0]});
    const auto opened = keys.open(End::kServer, *parse_quic_header(sealed, 3), sealed, number);
    return opened && opened->number == number && opened->plaintext == packet.frames;
  };
  EXPECT_FALSE(opens(0, 1));  // nobody updates before the first packet
  EXPECT_TRUE(opens(0, 0));
  EXPECT_TRUE(opens(2, 1));
  EXPECT_TRUE(opens(1, 0));
  EXPECT_TRUE(opens(3, 1));
  EXPECT_TRUE(opens(5, 2));
  EXPECT_TRUE(opens(4, 1));
  EXPECT_TRUE(opens(6, 3));
}

}  // namespace
}  // namespace analysis
