// Connections of our own transport read from their datagrams, and packets that it would not send.

#include "analysis/quic_conversation.hh"

#include "base/rng.hh"
#include "tests/analysis/published_packets.hh"
#include "tests/analysis/quic_talk.hh"
#include "tests/analysis/sealing.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

namespace analysis {
namespace {

using enum MessageKind;
using enum QuicPacketType;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using transport::Bytes;
using transport::ByteSpan;
using transport::SentDatagram;

// A talk through a conversation; what it came to.
struct Reading {
  explicit Reading(std::string_view keylog) { secrets.add(keylog); }

  DecodedPacket& take(End from, const Bytes& datagram) {
    senders.push_back(from);
    return packets.emplace_back(conversation.take(from, udp_packet(datagram)));
  }
  void read(const std::vector<SentDatagram>& sent) {
    for (const SentDatagram& datagram : sent)
      take(datagram.from_client ? End::kClient : End::kServer, datagram.bytes);
    for (std::size_t index = 0; index < packets.size(); ++index)
      conversation.describe(senders[index], packets[index]);
  }
  std::vector<DnsFacts> dns() const {
    std::vector<DnsFacts> found;
    for (const DecodedPacket& packet : packets)
      found.insert(found.end(), packet.dns.begin(), packet.dns.end());
    return found;
  }
  bool carried(End from, MessageKind kind) const {
    for (std::size_t index = 0; index < packets.size(); ++index)
      if (senders[index] == from && packets[index].carries(kind)) return true;
    return false;
  }
  std::string problems() const {
    std::string all;
    for (const DecodedPacket& packet : packets) all += packet.problem;
    return all;
  }

  SecretStore secrets;
  QuicConversation conversation{secrets};
  std::vector<DecodedPacket> packets;
  std::vector<End> senders;
};

void expect_whole(const Reading& reading, std::size_t queries = 1) {
  const ConversationFacts facts = reading.conversation.facts();
  EXPECT_EQ(facts.undecrypted, 0U);
  EXPECT_THAT(facts.sight_ends, IsEmpty());
  EXPECT_THAT(reading.problems(), IsEmpty());
  EXPECT_EQ(facts.handshake.alpn, "doq");
  EXPECT_TRUE(facts.handshake.finished_by_client && facts.handshake.finished_by_server);
  const auto dns = reading.dns();
  ASSERT_THAT(dns, SizeIs(2 * queries));
  EXPECT_EQ(std::ranges::count(dns, std::string("NXDOMAIN"), &DnsFacts::rcode),
            static_cast<std::ptrdiff_t>(queries));
  for (const DnsFacts& facts_of_one : dns)
    EXPECT_THAT(facts_of_one.questions, testing::ElementsAre("a.lab.test A"));
  for (const MessageKind kind : {kClientHello, kFinished, kDnsQuery})
    EXPECT_TRUE(reading.carried(End::kClient, kind)) << to_string(kind);
  for (const MessageKind kind : {kServerHello, kEncryptedExtensions, kCertificate,
                                 kCertificateVerify, kFinished, kDnsAnswer})
    EXPECT_TRUE(reading.carried(End::kServer, kind)) << to_string(kind);
}

TEST(QuicConversation, ReadsALookupToItsEnd) {
  const QuicTalk talk = quic_talk();
  Reading reading(talk.keylog);
  reading.read(talk.sent);
  expect_whole(reading);
  const HandshakeFacts handshake = reading.conversation.facts().handshake;
  EXPECT_EQ(handshake.server_name, transport::kServerName);
  EXPECT_EQ(group_name(*handshake.group), "X25519");
  EXPECT_EQ(reading.conversation.facts().quic_version, 1U);
  EXPECT_TRUE(reading.packets.front().has_quic(kInitial));
  EXPECT_TRUE(reading.packets.back().has_quic(kOneRtt));
  EXPECT_NE(reading.packets.back().quic.back().find_frame(quic_frame::kApplicationClose), nullptr);
  for (const DecodedPacket& packet : reading.packets)
    for (const DataRange& range : packet.data) EXPECT_FALSE(range.again);
}

TEST(QuicConversation, LargeHellosAndCertificatesTakeSeveralDatagrams) {
  const QuicTalk talk =
      quic_talk({.group = "X25519MLKEM768", .certificate_bytes = 6000, .queries = 5});
  Reading reading(talk.keylog);
  reading.read(talk.sent);
  expect_whole(reading, 5);
  EXPECT_TRUE(reading.packets[1].carries(kClientHello));
  EXPECT_GT(reading.conversation.facts().handshake.certificate_bytes, 6000U);
  std::uint64_t bytes = 0;
  for (const DecodedPacket& packet : reading.packets)
    for (const MessagePart& part : packet.messages)
      if (part.kind == kCertificate) bytes += part.length;
  EXPECT_EQ(bytes, reading.conversation.facts().handshake.certificate_bytes);
}

TEST(QuicConversation, RetryChangesTheKeys) {
  const QuicTalk talk = quic_talk({.retry = transport::RetryPolicy::kAlways});
  Reading reading(talk.keylog);
  reading.read(talk.sent);
  expect_whole(reading);
  EXPECT_TRUE(reading.packets[1].has_quic(kRetry));
  const QuicPacket& retry = reading.packets[1].quic[0];
  EXPECT_GT(retry.token.size(), 0U);
  EXPECT_FALSE(retry.number);
  const QuicPacket& second = reading.packets[2].quic[0];
  EXPECT_EQ(second.token.size(), retry.token.size());
  EXPECT_EQ(second.dcid, retry.scid);
  EXPECT_TRUE(reading.packets[2].data.at(0).again);  // the same ClientHello
}

TEST(QuicConversation, WithoutKeysOnlyInitialsAreRead) {
  const QuicTalk talk = quic_talk();
  Reading reading("");
  reading.read(talk.sent);
  const ConversationFacts facts = reading.conversation.facts();
  EXPECT_EQ(facts.sight_ends, "no keys of this connection in the capture");
  EXPECT_GT(facts.undecrypted, 0U);
  EXPECT_TRUE(reading.carried(End::kServer, kServerHello));
  EXPECT_FALSE(reading.carried(End::kServer, kCertificate));
  EXPECT_THAT(reading.dns(), IsEmpty());
  for (const DecodedPacket& packet : reading.packets)
    for (const QuicPacket& quic : packet.quic)
      EXPECT_EQ(quic.number.has_value(), quic.type == kInitial);
}

TEST(QuicConversation, KeysOfOneLevelOpenThatLevel) {
  QuicTalk talk = quic_talk();
  for (std::size_t at = 0; (at = talk.keylog.find("TRAFFIC_SECRET_0", at)) != std::string::npos;)
    talk.keylog.replace(at, 7, "XRAFFIC");
  Reading reading(talk.keylog);
  reading.read(talk.sent);
  EXPECT_EQ(reading.conversation.facts().sight_ends, "its key is not among those in the capture");
  EXPECT_TRUE(reading.carried(End::kServer, kCertificate));
  EXPECT_TRUE(reading.conversation.facts().handshake.finished_by_client);
  EXPECT_THAT(reading.dns(), IsEmpty());
}

TEST(QuicConversation, DuplicatesAreSentAgain) {
  const QuicTalk talk = quic_talk();
  std::vector<SentDatagram> doubled;
  for (const SentDatagram& datagram : talk.sent) doubled.insert(doubled.end(), 2, datagram);
  Reading reading(talk.keylog);
  reading.read(doubled);
  expect_whole(reading);
  for (std::size_t index = 1; index < reading.packets.size(); index += 2)
    EXPECT_FALSE(reading.packets[index].has_new_data()) << index;
}

TEST(QuicConversation, AnyOrderBehindTheHellosIsRead) {
  const QuicTalk talk =
      quic_talk({.group = "X25519MLKEM768", .certificate_bytes = 6000, .queries = 5});
  base::Rng rng(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<SentDatagram> shuffled = talk.sent;
    // Keys follow from the hellos: two datagrams of the client, and the server's first.
    std::ranges::shuffle(shuffled.begin() + 3, shuffled.end(), rng);
    Reading reading(talk.keylog);
    reading.read(shuffled);
    expect_whole(reading, 5);
  }
}

TEST(QuicConversation, CutAndDamagedDatagramsAreProblemsInWords) {
  const QuicTalk talk = quic_talk();
  Reading whole(talk.keylog);
  whole.take(End::kClient, talk.sent[0].bytes);
  Reading reading(talk.keylog);
  for (std::size_t size = 1; size < talk.sent[0].bytes.size(); ++size) {
    const Bytes cut(talk.sent[0].bytes.begin(),
                    talk.sent[0].bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THAT(reading.take(End::kClient, cut).problem, HasSubstr("QUIC")) << size;
  }
  Bytes damaged = talk.sent[0].bytes;
  damaged.back() ^= 1U;
  EXPECT_THAT(reading.take(End::kClient, damaged).quic.at(0).undecrypted,
              HasSubstr("changed bytes"));
  EXPECT_TRUE(reading.take(End::kClient, talk.sent[0].bytes).quic.at(0).number);
}

TEST(QuicConversation, PublishedVersionTwoHellosAreRead) {
  Reading reading("");
  const PublishedPackets& published = kPublishedPackets[1];
  reading.take(End::kClient, from_hex(published.client_initial));
  reading.take(End::kServer, from_hex(published.retry));
  reading.take(End::kServer, from_hex(published.server_initial));
  const ConversationFacts facts = reading.conversation.facts();
  EXPECT_EQ(facts.quic_version, 0x6b3343cfU);
  EXPECT_EQ(facts.handshake.server_name, "example.com");
  EXPECT_EQ(facts.handshake.cipher_suite, 0x1301);
  EXPECT_EQ(facts.undecrypted, 0U);
}

// What a peer may do that our own transport does not.
class ForeignPeer : public testing::Test {
 protected:
  void SetUp() override {
    reading.take(End::kClient, from_hex(kClientInitialV1));
    reading.take(End::kServer, from_hex(kServerInitialV1));
    ASSERT_TRUE(reading.conversation.facts().handshake.cipher_suite);
  }
  DecodedPacket& server_sends(std::uint64_t number, const Bytes& frames) {
    return reading.take(End::kServer, seal_packet({.type = kOneRtt,
                                                   .version = QuicVersion::kV1,
                                                   .dcid = {},  // as the client's Initial said
                                                   .scid = {},
                                                   .token = {},
                                                   .number = number,
                                                   .phase = false,
                                                   .frames = frames},
                                                  keys));
  }

  const PacketKeys keys{.suite = CipherSuite::kAes128Gcm,
                        .secret = from_hex(std::string(64, '6')),
                        .header_secret = {}};
  Reading reading{
      std::format("SERVER_TRAFFIC_SECRET_0 "
                  "ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c {}\n",
                  std::string(64, '6'))};
};

TEST_F(ForeignPeer, MalformedFramesOfAnOpenedPacketAreNamed) {
  const DecodedPacket& packet = server_sends(0, Bytes{1, 1, 1, 0x3f});
  EXPECT_EQ(packet.problem, "1-RTT packet 0: byte 3: malformed frame");
  EXPECT_EQ(packet.quic.at(0).number, 0U);
  EXPECT_THAT(server_sends(1, {}).quic.at(0).undecrypted, IsEmpty());
}

TEST_F(ForeignPeer, PacketNumbersGoOnBeyondTheirBytes) {
  std::uint64_t number = 0x7fff'0000;
  EXPECT_EQ(server_sends(number, Bytes(4, 1)).quic.at(0).number, number);
  for (int step = 0; step < 3; ++step) {
    number += 0x7000'0000;
    EXPECT_EQ(server_sends(number, Bytes(4, 1)).quic.at(0).number, number);
  }
  EXPECT_GT(number, 0xffff'ffffU);
}

TEST_F(ForeignPeer, StreamsHaveALimit) {
  std::string problem;
  for (std::uint64_t stream = 0; stream <= QuicConversation::kMaxStreams; ++stream) {
    Bytes frame{0x0a};
    append_varint(frame, 4 * stream);
    frame.insert(frame.end(), {1, 'x'});
    problem = server_sends(stream, frame).problem;
    EXPECT_EQ(problem.empty(), stream < QuicConversation::kMaxStreams) << stream;
  }
  EXPECT_EQ(problem, "more than 1024 streams");
}

TEST_F(ForeignPeer, FinMayComeAloneAndTwice) {
  EXPECT_FALSE(server_sends(0, {0x0a, 0, 1, 'x'}).data.at(0).again);
  EXPECT_TRUE(server_sends(1, {0x0a, 0, 1, 'x'}).data.at(0).again);
  EXPECT_FALSE(server_sends(2, {0x0f, 0, 1, 0}).data.at(0).again);
  EXPECT_TRUE(server_sends(3, {0x0f, 0, 1, 0}).data.at(0).again);
}

TEST_F(ForeignPeer, PaddingBehindPacketsIsNoProblem) {
  Bytes datagram = from_hex(kServerInitialV1);
  datagram.resize(1200);
  EXPECT_THAT(reading.take(End::kServer, datagram).problem, IsEmpty());
  datagram.back() = 1;
  datagram[from_hex(kServerInitialV1).size()] = 0x01;
  EXPECT_THAT(reading.take(End::kServer, datagram).problem, HasSubstr("not a QUIC packet"));
}

}  // namespace
}  // namespace analysis
