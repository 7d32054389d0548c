#include "analysis/packet_meaning.hh"

#include "analysis/quic_conversation.hh"
#include "tests/analysis/quic_talk.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// In the order of Meaning.
std::vector<std::string_view> names_of(const PacketMeaning& meaning) {
  std::vector<std::string_view> names;
  for (const std::string_view name : meaning_names())
    if (meaning.has(*parse_meaning(name))) names.push_back(name);
  return names;
}

DecodedPacket segment(const std::function<void(TcpSegment&)>& set) {
  DecodedPacket packet;
  packet.protocol = Protocol::kTcp;
  set(packet.tcp.emplace());
  return packet;
}

QuicPacket quic(QuicPacketType type, std::optional<std::uint64_t> number,
                std::initializer_list<std::uint64_t> frames) {
  QuicPacket packet;
  packet.type = type;
  packet.number = number;
  for (const std::uint64_t frame : frames) packet.frames.emplace_back().type = frame;
  return packet;
}

DecodedPacket datagram(std::vector<QuicPacket> packets, std::vector<MessagePart> messages = {}) {
  DecodedPacket packet;
  packet.protocol = Protocol::kQuic;
  packet.quic = std::move(packets);
  packet.messages = std::move(messages);
  return packet;
}

MessagePart part(MessageKind kind, std::uint64_t offset, std::uint64_t length,
                 std::uint64_t total) {
  return {.kind = kind, .total = total, .offset = offset, .length = length};
}

PacketMeaning only(const MessagePart& message) {
  return meaning_of(
      datagram({quic(QuicPacketType::kInitial, 0, {quic_frame::kCrypto})}, {message}));
}

std::string signature(const DecodedPacket& packet) {
  return meaning_of(packet).signature;
}

TEST(MeaningNames, AreCompleteAndReadAsWritten) {
  ASSERT_EQ(static_cast<std::size_t>(Meaning::kIcmp) + 1, kMeanings);
  ASSERT_EQ(meaning_names().size(), kMeanings);
  std::set<std::string_view> different;
  for (std::size_t index = 0; index < kMeanings; ++index) {
    const auto meaning = static_cast<Meaning>(index);
    EXPECT_EQ(meaning_names()[index], to_string(meaning));
    EXPECT_EQ(parse_meaning(to_string(meaning)), meaning);
    EXPECT_THAT(std::string(to_string(meaning)), Not(IsEmpty()));
    different.insert(to_string(meaning));
  }
  EXPECT_EQ(different.size(), kMeanings);
  for (const char* unknown : {"", "SYN", "syn ", "quic", "handshake-complete"})
    EXPECT_FALSE(parse_meaning(unknown)) << unknown;
}

TEST(PacketMeaning, OfTcpSegments) {
  const auto names = [](const std::function<void(TcpSegment&)>& set) {
    return names_of(meaning_of(segment(set)));
  };
  EXPECT_THAT(names([](TcpSegment& tcp) { tcp.syn = true; }), ElementsAre("syn"));
  EXPECT_THAT(names([](TcpSegment& tcp) { tcp.syn = tcp.ack = true; }), ElementsAre("syn-ack"));
  EXPECT_THAT(names([](TcpSegment& tcp) { tcp.ack = true; }), ElementsAre("tcp-ack"));
  EXPECT_THAT(names([](TcpSegment& tcp) {
                tcp.ack = tcp.fin = true;
                tcp.begin = 100;
                tcp.end = 124;
              }),
              ElementsAre("tcp-data", "fin"));
  EXPECT_THAT(names([](TcpSegment& tcp) { tcp.ack = tcp.fin = true; }), ElementsAre("fin"));
  EXPECT_THAT(names([](TcpSegment& tcp) { tcp.rst = true; }), ElementsAre("rst"));
  EXPECT_THAT(names([](TcpSegment& tcp) { tcp.rst = tcp.ack = true; }), ElementsAre("rst"));
}

TEST(PacketMeaning, OfEachQuicType) {
  const std::vector<std::pair<QuicPacketType, std::string_view>> types{
      {QuicPacketType::kInitial, "quic-initial"},
      {QuicPacketType::kZeroRtt, "quic-0rtt"},
      {QuicPacketType::kHandshake, "quic-handshake"},
      {QuicPacketType::kOneRtt, "quic-1rtt"},
      {QuicPacketType::kRetry, "quic-retry"},
      {QuicPacketType::kVersionNegotiation, "quic-version-negotiation"}};
  for (const auto& [type, name] : types)
    EXPECT_THAT(names_of(meaning_of(datagram({quic(type, {}, {})}))), ElementsAre(name));
}

TEST(PacketMeaning, OnlyAcknowledgesWhereEveryQuicPacketDoes) {
  using enum QuicPacketType;
  const QuicPacket ack = quic(kInitial, 1, {quic_frame::kAck, quic_frame::kPadding});
  const QuicPacket ecn = quic(kHandshake, 0, {quic_frame::kAckEcn});
  EXPECT_THAT(names_of(meaning_of(datagram({ack, ecn}))),
              ElementsAre("quic-initial", "quic-handshake", "quic-ack"));
  const QuicPacket ping = quic(kHandshake, 0, {quic_frame::kAck, quic_frame::kPing});
  EXPECT_THAT(names_of(meaning_of(datagram({ack, ping}))),
              ElementsAre("quic-initial", "quic-handshake"));
  // Nobody knows what is in a packet that could not be opened.
  EXPECT_THAT(names_of(meaning_of(datagram({ack, quic(kOneRtt, {}, {})}))),
              ElementsAre("quic-initial", "quic-1rtt"));
}

TEST(PacketMeaning, OfOtherProtocols) {
  DecodedPacket packet;
  EXPECT_THAT(names_of(meaning_of(packet)), IsEmpty());
  EXPECT_THAT(signature(packet), IsEmpty());
  packet.protocol = Protocol::kIcmp;
  EXPECT_THAT(names_of(meaning_of(packet)), ElementsAre("icmp"));
}

TEST(PacketMeaning, OfEveryMessageThatRulesName) {
  using enum MessageKind;
  const std::vector<std::pair<MessageKind, std::string_view>> named{
      {kClientHello, "tls-client-hello"},
      {kServerHello, "tls-server-hello"},
      {kHelloRetryRequest, "tls-hello-retry-request"},
      {kEncryptedExtensions, "tls-encrypted-extensions"},
      {kCertificate, "tls-certificate"},
      {kCertificateVerify, "tls-certificate-verify"},
      {kFinished, "tls-finished"},
      {kNewSessionTicket, "tls-new-session-ticket"},
      {kDnsQuery, "dns-query"},
      {kDnsAnswer, "dns-answer"}};
  for (const auto& [kind, name] : named) {
    const PacketMeaning meaning = only(part(kind, 0, 10, 10));
    EXPECT_THAT(names_of(meaning), ElementsAre("quic-initial", name));
    EXPECT_THAT(meaning.parts, ElementsAre(MeaningPart{
                                   .meaning = *parse_meaning(name), .first = true, .last = true}));
  }
  for (const MessageKind kind : {kChangeCipherSpec, kAlert, kEncryptedRecord, kHttp, kKeyUpdate})
    EXPECT_THAT(only(part(kind, 0, 10, 10)).parts, IsEmpty()) << to_string(kind);
}

TEST(PacketMeaning, AHelloInManySmallPiecesIsOnePart) {
  std::vector<MessagePart> pieces;
  // Out of order, as clients that hide the server's name send it; the end is in the next packet.
  for (const std::uint64_t offset : {300U, 0U, 200U, 100U})
    pieces.push_back(part(MessageKind::kClientHello, offset, 100, 1461));
  const QuicPacket initial = quic(QuicPacketType::kInitial, 0, {quic_frame::kCrypto});
  EXPECT_THAT(
      meaning_of(datagram({initial}, pieces)).parts,
      ElementsAre(MeaningPart{.meaning = Meaning::kClientHello, .first = true, .last = false}));
  EXPECT_THAT(
      only(part(MessageKind::kClientHello, 400, 1061, 1461)).parts,
      ElementsAre(MeaningPart{.meaning = Meaning::kClientHello, .first = false, .last = true}));
  EXPECT_THAT(
      only(part(MessageKind::kClientHello, 400, 100, 1461)).parts,
      ElementsAre(MeaningPart{.meaning = Meaning::kClientHello, .first = false, .last = false}));
}

DecodedPacket coalesced() {
  return datagram({quic(QuicPacketType::kInitial, 1, {quic_frame::kCrypto}),
                   quic(QuicPacketType::kHandshake, 0, {quic_frame::kCrypto})},
                  {part(MessageKind::kServerHello, 1146, 32, 1178),
                   part(MessageKind::kEncryptedExtensions, 0, 90, 90),
                   part(MessageKind::kCertificate, 0, 900, 3923)});
}

TEST(PacketMeaning, ACoalescedDatagramIsAllThatItsPacketsAre) {
  const PacketMeaning meaning = meaning_of(coalesced());
  EXPECT_THAT(names_of(meaning), ElementsAre("quic-initial", "quic-handshake", "tls-server-hello",
                                             "tls-encrypted-extensions", "tls-certificate"));
  EXPECT_THAT(
      meaning.parts,
      ElementsAre(
          MeaningPart{.meaning = Meaning::kServerHello, .first = false, .last = true},
          MeaningPart{.meaning = Meaning::kEncryptedExtensions, .first = true, .last = true},
          MeaningPart{.meaning = Meaning::kCertificate, .first = true, .last = false}));
  EXPECT_THAT(meaning.signature, testing::StartsWith("Initial#1 Handshake#0 -tls-server-hello> "
                                                     "<tls-encrypted-extensions> "
                                                     "<tls-certificate- "));
}

TEST(PacketSignatures, DoNotDependOnLengths) {
  DecodedPacket longer = coalesced();
  longer.ip_length += 2;
  longer.quic[1].size += 2;
  longer.messages[2].length += 2;
  longer.messages[2].total += 2;
  EXPECT_EQ(signature(longer), signature(coalesced()));
}

TEST(PacketSignatures, TellOtherPacketsApart) {
  DecodedPacket other = coalesced();
  other.quic[0].number = 2;
  EXPECT_NE(signature(other), signature(coalesced()));
  other = coalesced();
  other.quic[0].number.reset();
  EXPECT_NE(signature(other), signature(coalesced()));
  other = coalesced();
  other.messages[2].length = other.messages[2].total;
  EXPECT_NE(signature(other), signature(coalesced()));
  other = coalesced();
  other.messages[0].offset = 0;
  EXPECT_NE(signature(other), signature(coalesced()));
  other = coalesced();
  other.messages.pop_back();
  EXPECT_NE(signature(other), signature(coalesced()));
  EXPECT_NE(signature(segment([](TcpSegment& tcp) { tcp.syn = true; })),
            signature(segment([](TcpSegment& tcp) { tcp.syn = tcp.ack = true; })));
}

// What a gate would have seen of a lookup of our own transport.
std::vector<PacketMeaning> meanings_of(const QuicTalk& talk) {
  SecretStore secrets;
  secrets.add(talk.keylog);
  QuicConversation conversation(secrets);
  std::vector<PacketMeaning> meanings;
  for (const transport::SentDatagram& sent : talk.sent) {
    const End from = sent.from_client ? End::kClient : End::kServer;
    DecodedPacket packet = conversation.take(from, udp_packet(sent.bytes));
    conversation.describe(from, packet);
    meanings.push_back(meaning_of(packet));
  }
  return meanings;
}

TEST(PacketSignatures, RepeatThemselvesWithOtherKeys) {
  const std::vector<PacketMeaning> one = meanings_of(quic_talk({.certificate_bytes = 3000}));
  const std::vector<PacketMeaning> other = meanings_of(quic_talk({.certificate_bytes = 3000}));
  ASSERT_GT(one.size(), 5U);
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t index = 0; index < one.size(); ++index)
    EXPECT_EQ(one[index].signature, other[index].signature) << index;
  EXPECT_THAT(one.front().signature, HasSubstr("<tls-client-hello>"));
}

}  // namespace
}  // namespace analysis
