// DNS over TLS on a TCP connection, segment by segment, and what TCP's headers say.

#include "analysis/tcp_conversation.hh"

#include "tests/analysis/tls_talk.hh"
#include "transport/dns_framing.hh"
#include "transport/dns_message.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace analysis {
namespace {

using enum MessageKind;
using testing::IsEmpty;
using testing::SizeIs;
using transport::Bytes;
using transport::ByteSpan;

const transport::DnsMessage kQuery = transport::make_query(0, {.name = "a.lab.test"});

// Both ends of a connection, as one capture shows their segments.
class TcpConversationTest : public testing::Test {
 protected:
  static constexpr std::uint32_t kClientStart = 0xffff'ff00;  // wraps soon
  static constexpr std::uint32_t kServerStart = 5000;

  captures::IpPacket packet(End from, std::uint64_t position, ByteSpan payload) const {
    captures::IpPacket packet;
    packet.tuple.protocol = captures::IpProtocol::kTcp;
    packet.tuple.destination_port = from == End::kClient ? port : 40'000;
    packet.payload = payload;
    packet.tcp.emplace();
    packet.tcp->sequence = static_cast<std::uint32_t>(
        (from == End::kClient ? kClientStart : kServerStart) + 1 + position);
    packet.tcp->ack = true;
    packet.tcp->acknowledgement = (from == End::kClient ? kServerStart : kClientStart) + 1;
    return packet;
  }
  void shake_hands() {
    for (const End from : {End::kClient, End::kServer}) {
      captures::IpPacket syn = packet(from, 0, {});
      --syn.tcp->sequence;
      syn.tcp->syn = true;
      syn.tcp->ack = from == End::kServer;
      conversation.take(from, syn);
    }
  }
  // In segments of at most `largest` bytes.
  void send(const std::vector<Turn>& turns, std::size_t largest) {
    std::array<std::uint64_t, 2> positions{};
    for (const Turn& turn : turns) {
      std::uint64_t& position = positions.at(turn.from == End::kClient ? 0 : 1);
      for (std::size_t at = 0; at < turn.bytes.size(); at += largest) {
        const std::size_t size = std::min(largest, turn.bytes.size() - at);
        packets.push_back(conversation.take(
            turn.from, packet(turn.from, position, ByteSpan(turn.bytes).subspan(at, size))));
        senders.push_back(turn.from);
        position += size;
      }
    }
    for (std::size_t index = 0; index < packets.size(); ++index)
      conversation.describe(senders[index], packets[index]);
  }
  std::size_t carrying(MessageKind kind) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        packets, [&](const DecodedPacket& packet) { return packet.carries(kind); }));
  }
  std::vector<DnsFacts> dns() const {
    std::vector<DnsFacts> found;
    for (const DecodedPacket& packet : packets)
      found.insert(found.end(), packet.dns.begin(), packet.dns.end());
    return found;
  }
  TlsTalk dot_talk() const {
    return tls_talk({.group = "X25519",
                     .certificate_bytes = 0,
                     .question = transport::frame_message(encode_dns_message(kQuery)),
                     .answer = transport::frame_message(
                         encode_dns_message(make_response(kQuery, transport::Rcode::kNxDomain)))});
  }

  std::uint16_t port = 853;
  SecretStore secrets;
  TcpConversation conversation{secrets};
  std::vector<DecodedPacket> packets;
  std::vector<End> senders;
};

TEST_F(TcpConversationTest, DotIsReadFromAnySegments) {
  const TlsTalk talk = dot_talk();
  secrets.add(talk.keylog);
  shake_hands();
  send(talk.turns, 50);
  ASSERT_THAT(dns(), SizeIs(2));
  EXPECT_EQ(dns()[0].questions.at(0), "a.lab.test A");
  EXPECT_EQ(dns()[1].rcode, "NXDOMAIN");
  for (const MessageKind kind : {kClientHello, kServerHello, kCertificate, kFinished, kDnsQuery,
                                 kDnsAnswer, kNewSessionTicket, kAlert})
    EXPECT_GT(carrying(kind), 0U) << to_string(kind);
  EXPECT_EQ(carrying(kHttp), 0U);
  for (const DecodedPacket& packet : packets) EXPECT_THAT(packet.messages, testing::Not(IsEmpty()));
  EXPECT_EQ(conversation.facts().protocol, "TLS over TCP");
  EXPECT_EQ(conversation.facts().undecrypted, 0U);
}

TEST_F(TcpConversationTest, CaptureMayMissTheHandshakeOfTcp) {
  const TlsTalk talk = dot_talk();
  secrets.add(talk.keylog);
  send(talk.turns, 1460);
  EXPECT_THAT(dns(), SizeIs(2));
}

TEST_F(TcpConversationTest, WithoutKeysTheRecordsAreEncrypted) {
  send(dot_talk().turns, 1460);
  EXPECT_THAT(dns(), IsEmpty());
  EXPECT_GT(carrying(kClientHello), 0U);
  EXPECT_GT(carrying(kEncryptedRecord), 0U);
  EXPECT_EQ(conversation.facts().sight_ends, "no keys of this connection in the capture");
}

TEST_F(TcpConversationTest, PositionsCountFromTheFirstByte) {
  shake_hands();
  const Bytes data(600, 'x');  // beyond the wrap
  const auto first = conversation.take(End::kClient, packet(End::kClient, 0, data));
  EXPECT_EQ(first.tcp->begin, 0U);
  EXPECT_EQ(first.tcp->end, 600U);
  const auto next = conversation.take(End::kClient, packet(End::kClient, 600, data));
  EXPECT_EQ(next.tcp->begin, 600U);
  EXPECT_FALSE(next.data.at(0).again);
  captures::IpPacket ack = packet(End::kServer, 0, {});
  ack.tcp->acknowledgement = kClientStart + 1 + 600;
  ack.tcp->sack[0] = {.left = kClientStart + 1 + 700, .right = kClientStart + 1 + 800};
  ack.tcp->sack_count = 1;
  const auto decoded = conversation.take(End::kServer, ack);
  EXPECT_TRUE(decoded.tcp->pure_ack());
  EXPECT_EQ(decoded.tcp->acknowledged, 600U);
  EXPECT_EQ(decoded.tcp->sack.at(0).begin, 700U);
  EXPECT_EQ(decoded.tcp->sack.at(0).end, 800U);
}

TEST_F(TcpConversationTest, KeepAliveLiesBeforeTheFirstByte) {
  shake_hands();
  captures::IpPacket keep_alive = packet(End::kClient, 0, {});
  --keep_alive.tcp->sequence;
  EXPECT_EQ(conversation.take(End::kClient, keep_alive).tcp->begin, 0U);
}

TEST_F(TcpConversationTest, FinIsNewOnce) {
  shake_hands();
  captures::IpPacket fin = packet(End::kClient, 0, {});
  fin.tcp->fin = true;
  EXPECT_FALSE(conversation.take(End::kClient, fin).data.at(0).again);
  EXPECT_TRUE(conversation.take(End::kClient, fin).data.at(0).again);
}

TEST_F(TcpConversationTest, HeaderCutShortIsAProblem) {
  captures::IpPacket cut = packet(End::kClient, 0, {});
  cut.tcp.reset();
  EXPECT_EQ(conversation.take(End::kClient, cut).problem, "TCP header cut short");
}

}  // namespace
}  // namespace analysis
