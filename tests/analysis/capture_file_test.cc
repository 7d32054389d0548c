// Small captures composed frame by frame, read as anybody's would be.

#include "analysis/capture_file.hh"

#include "base/file_descriptor.hh"
#include "captures/pcapng_writer.hh"
#include "tests/analysis/quic_talk.hh"
#include "tests/captures/frame_builder.hh"
#include "tests/captures/pcap_builder.hh"
#include "transport/dns_message.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace analysis {
namespace {

using captures::Direction;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string text_of(const transport::Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

const transport::DnsMessage kQuery = transport::make_query(7, {.name = "a.lab.test"});

std::string query() {
  return text_of(encode_dns_message(kQuery));
}
std::string answer() {
  return text_of(encode_dns_message(make_response(kQuery, transport::Rcode::kServFail)));
}

constexpr std::uint8_t kFin = 1;
constexpr std::uint8_t kSyn = 2;
constexpr std::uint8_t kAck = 16;

struct Segment {
  bool from_client = true;
  std::uint32_t sequence = 0;
  std::uint8_t flags = kAck;
  std::string payload;
};

test::Bytes tcp_frame(const Segment& segment, std::uint16_t port = 53) {
  constexpr std::uint16_t kClientPort = 40'000;
  test::Bytes bytes = segment.from_client ? test::tcp(kClientPort, port, segment.payload)
                                          : test::tcp(port, kClientPort, segment.payload);
  for (std::size_t index = 0; index < 4; ++index)
    bytes[4 + index] = static_cast<std::uint8_t>(segment.sequence >> (24 - 8 * index));
  bytes[13] = segment.flags;
  return test::ethernet(segment.from_client ? test::ipv4(test::kClient, test::kServer, 6, bytes)
                                            : test::ipv4(test::kServer, test::kClient, 6, bytes));
}

// A pcapng file of one Ethernet interface.
class FileBuilder {
 public:
  FileBuilder() { interface_ = writer_.add_interface(kFacts); }
  FileBuilder& add(const test::Bytes& frame) { return add_to(interface_, frame); }
  FileBuilder& add_to(captures::InterfaceId interface, const test::Bytes& frame) {
    writer_.add_packet(interface, test::captured(++time_ns_, Direction::kUnknown, frame), "");
    return *this;
  }
  captures::PcapngWriter& writer() { return writer_; }
  const std::string& bytes() const { return writer_.bytes(); }
  static inline const captures::InterfaceFacts kFacts{.name = "x", .description = {}};

 private:
  captures::PcapngWriter writer_{{.application = "labrun test", .comment = {}}};
  captures::InterfaceId interface_ = 0;
  std::int64_t time_ns_ = 0;
};

CaptureFile read(const std::string& bytes, std::string_view keylog = {}) {
  std::istringstream input(bytes);
  return read_capture(input, keylog);
}

TEST(CaptureFile, UdpQueryAndAnswerAreOneConversation) {
  FileBuilder file;
  file.add(test::query_frame(10'001, query())).add(test::answer_frame(10'001, answer()));
  file.add(test::query_frame(10'002, "no DNS"));
  const CaptureFile capture = read(file.bytes());
  EXPECT_THAT(capture.broken, IsEmpty());
  EXPECT_EQ(capture.packets, 3U);
  ASSERT_THAT(capture.conversations, SizeIs(2));
  const CapturedConversation& first = capture.conversations[0];
  EXPECT_EQ(first.tuple.source_port, 10'001);
  EXPECT_EQ(captures::to_string(first.tuple.destination), test::kServer);
  EXPECT_EQ(first.exchange.conversations.at(0).protocol, "DNS over UDP");
  ASSERT_THAT(first.exchange.events, SizeIs(2));
  const PacketEvent& reply = first.exchange.events[1];
  EXPECT_EQ(reply.from, End::kServer);
  EXPECT_EQ(reply.number, 2U);
  EXPECT_EQ(reply.ordinal, 1U);
  EXPECT_EQ(reply.packet.dns.at(0).rcode, "SERVFAIL");
  EXPECT_EQ(reply.packet.dns.at(0).id, 7);
  EXPECT_TRUE(reply.packet.carries(MessageKind::kDnsAnswer));
  EXPECT_THAT(capture.conversations[1].exchange.events.at(0).packet.problem,
              testing::Not(IsEmpty()));
}

TEST(CaptureFile, AnswerThatComesFirstIsTheServers) {
  const CaptureFile capture = read(FileBuilder().add(test::answer_frame(10'001, answer())).bytes());
  ASSERT_THAT(capture.conversations, SizeIs(1));
  EXPECT_EQ(capture.conversations[0].tuple.source_port, 10'001);
  EXPECT_EQ(capture.conversations[0].exchange.events.at(0).from, End::kServer);
}

std::string framed(const std::string& message) {
  return text_of(transport::frame_message(base::as_byte_span(message)));
}

TEST(CaptureFile, TcpConversationIsPutTogether) {
  const std::string sent = framed(query());
  const std::string received = framed(answer());
  constexpr std::uint32_t kNearWrap = 0xffff'fff0;  // sequence numbers begin again within the query
  FileBuilder file;
  file.add(tcp_frame({true, kNearWrap - 1, kSyn, ""}))
      .add(tcp_frame({false, 99, kSyn | kAck, ""}))
      .add(tcp_frame({true, kNearWrap, kAck, sent.substr(0, 20)}))
      .add(tcp_frame({true, kNearWrap, kAck, sent.substr(0, 20)}))
      .add(tcp_frame({true, kNearWrap + 20, kAck, sent.substr(20)}))
      .add(tcp_frame({false, 100 + 10, kAck, received.substr(10)}))
      .add(tcp_frame({false, 100, kAck | kFin, received.substr(0, 10)}));
  const CaptureFile capture = read(file.bytes());
  ASSERT_THAT(capture.conversations, SizeIs(1));
  const Exchange& exchange = capture.conversations[0].exchange;
  EXPECT_EQ(exchange.conversations.at(0).protocol, "DNS over TCP");
  ASSERT_THAT(exchange.events, SizeIs(7));
  EXPECT_TRUE(exchange.events[0].packet.tcp->syn);
  EXPECT_TRUE(exchange.events[3].packet.data.at(0).again);
  EXPECT_EQ(exchange.events[4].packet.tcp->begin, 20U);
  EXPECT_EQ(exchange.events[4].packet.dns.at(0).questions.at(0), "a.lab.test A");
  EXPECT_THAT(exchange.events[4].packet.messages,
              ElementsAre(MessagePart{.kind = MessageKind::kDnsQuery,
                                      .total = sent.size(),
                                      .offset = 20,
                                      .length = sent.size() - 20}));
  // Where the hole closes the answer is whole.
  EXPECT_THAT(exchange.events[5].packet.dns, IsEmpty());
  EXPECT_EQ(exchange.events[6].packet.dns.at(0).rcode, "SERVFAIL");
  EXPECT_TRUE(exchange.events[5].packet.carries(MessageKind::kDnsAnswer));
}

TEST(CaptureFile, SynAckThatComesFirstIsTheServers) {
  const CaptureFile capture =
      read(FileBuilder().add(tcp_frame({false, 99, kSyn | kAck, ""}, 5300)).bytes());
  EXPECT_EQ(capture.conversations.at(0).tuple.destination_port, 5300);
  EXPECT_EQ(capture.conversations[0].exchange.events.at(0).from, End::kServer);
}

TEST(CaptureFile, UnreadPacketsAreNumberedWithAReason) {
  FileBuilder file;
  const std::size_t second_interface_at = file.bytes().size();
  const captures::InterfaceId other = file.writer().add_interface(FileBuilder::kFacts);
  const test::Bytes fragment =
      test::ethernet(test::ipv4(test::kClient, test::kServer, 17, test::udp(1, 53, query()),
                                {.identification = 9, .flags_and_offset = 0x2000}));
  file.add(test::query_frame(10'001, query()))
      .add_to(other, test::query_frame(10'001, query()))
      .add(fragment)
      .add(test::Bytes(3, 0))
      .add(test::answer_frame(10'001, answer()));
  std::string bytes = file.bytes();
  bytes[second_interface_at + 8] = 127;  // the link type: IEEE 802.11 with radiotap
  const CaptureFile capture = read(bytes);
  EXPECT_EQ(capture.packets, 5U);
  EXPECT_EQ(capture.unread_count, 3U);
  ASSERT_THAT(capture.unread, SizeIs(3));
  EXPECT_EQ(capture.unread[0].number, 2U);
  EXPECT_THAT(capture.unread[0].why, HasSubstr("link type"));
  EXPECT_EQ(capture.unread[1].number, 3U);
  EXPECT_EQ(capture.unread[1].why, "fragment of an IP packet");
  EXPECT_EQ(capture.unread[2].number, 4U);
  ASSERT_THAT(capture.conversations, SizeIs(1));
  EXPECT_EQ(capture.conversations[0].exchange.events.at(1).number, 5U);
}

TEST(CaptureFile, ListOfUnreadPacketsHasALimit) {
  FileBuilder file;
  for (std::size_t count = 0; count < CaptureFile::kMaxUnread + 2; ++count)
    file.add(test::Bytes(3, 0));
  const CaptureFile capture = read(file.bytes());
  EXPECT_EQ(capture.unread_count, CaptureFile::kMaxUnread + 2);
  EXPECT_THAT(capture.unread, SizeIs(CaptureFile::kMaxUnread));
}

TEST(CaptureFile, CutFileIsReadAsFarAsItGoes) {
  FileBuilder file;
  file.add(test::query_frame(10'001, query()));
  const std::size_t whole = file.bytes().size();
  file.add(test::answer_frame(10'001, answer()));
  std::size_t between_blocks = 0;
  for (std::size_t size = 0; size < file.bytes().size(); ++size) {
    const CaptureFile capture = read(file.bytes().substr(0, size));
    EXPECT_EQ(capture.packets, size < whole ? 0U : 1U) << size;
    if (capture.broken.empty()) ++between_blocks;
    EXPECT_EQ(capture.broken.starts_with("block "), size >= 4 && !capture.broken.empty()) << size;
  }
  EXPECT_EQ(between_blocks, 3U);  // behind section, interface and packet
  EXPECT_THAT(read(file.bytes().substr(0, whole + 9)).broken, HasSubstr("block 4: "));
  EXPECT_EQ(read("").broken, "neither pcapng nor pcap");
  test::PcapBuilder classic({});
  classic.add(0, 1, test::query_frame(10'001, query())).add(0, 2, test::Bytes(100, 0));
  const CaptureFile capture = read(classic.bytes().substr(0, classic.bytes().size() - 1));
  EXPECT_THAT(capture.broken, HasSubstr("packet 2: "));
  EXPECT_THAT(capture.conversations, SizeIs(1));
}

// In the order of files that labrun writes, of files that others write, and beside the file.
TEST(CaptureFile, KeysCountWhereverTheyStand) {
  const QuicTalk talk = quic_talk();
  enum class Place { kBefore, kBehind, kBeside };
  for (const Place place : {Place::kBefore, Place::kBehind, Place::kBeside}) {
    FileBuilder file;
    if (place == Place::kBefore) file.writer().add_secrets(talk.keylog);
    for (const transport::SentDatagram& datagram : talk.sent) {
      const std::string payload = text_of(datagram.bytes);
      file.add(test::ethernet(
          datagram.from_client
              ? test::ipv4(test::kClient, test::kServer, 17, test::udp(10'000, 853, payload))
              : test::ipv4(test::kServer, test::kClient, 17, test::udp(853, 10'000, payload))));
    }
    if (place == Place::kBehind) file.writer().add_secrets(talk.keylog);
    const CaptureFile capture =
        read(file.bytes(), place == Place::kBeside ? std::string_view(talk.keylog) : "");
    EXPECT_GE(capture.secrets, 4U);
    ASSERT_THAT(capture.conversations, SizeIs(1));
    const ConversationFacts& facts = capture.conversations[0].exchange.conversations.at(0);
    EXPECT_EQ(facts.protocol, "QUIC");
    EXPECT_EQ(facts.undecrypted, 0U);
    EXPECT_EQ(facts.handshake.alpn, "doq");
  }
}

TEST(CaptureFile, OtherProtocolsAreCountedButNotRead) {
  FileBuilder file;
  file.add(test::ethernet(test::ipv4(test::kClient, test::kServer, 1, test::icmp(8, {1, 2}))));
  file.add(test::ethernet(test::ipv4(test::kClient, test::kServer, 47, {1, 2, 3})));
  file.add(test::ethernet(
      test::ipv4(test::kClient, test::kServer, 17, test::udp(10'000, 10'001, "hello"))));
  file.add(test::ethernet(
      test::ipv6(test::kClient6, test::kServer6, 17, test::udp(10'000, 5353, query()))));
  const CaptureFile capture = read(file.bytes());
  std::vector<std::string> protocols;
  for (const CapturedConversation& conversation : capture.conversations)
    protocols.push_back(conversation.exchange.conversations.at(0).protocol);
  EXPECT_THAT(protocols, ElementsAre("ICMP", "IP", "UDP", "DNS over UDP"));
  EXPECT_THAT(capture.conversations[2].exchange.conversations[0].sight_ends, HasSubstr("neither"));
}

}  // namespace
}  // namespace analysis
