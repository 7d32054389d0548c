#include "captures/ip_packet.hh"

#include "base/file_descriptor.hh"
#include "captures/link_frame.hh"
#include "tests/captures/frame_builder.hh"

#include <gtest/gtest.h>

namespace captures {
namespace {

using test::ethernet;

IpAddress address(std::string_view text) {
  return parse_ip_address(text).value();
}

TEST(IpAddress, ReadsAndWritesBothFamilies) {
  for (const std::string text : {"198.51.100.1", "0.0.0.0", "2001:db8:53::1", "::1", "ff02::1"})
    EXPECT_EQ(to_string(address(text)), text);
  for (const std::string_view text : {"", "198.51.100", "1.2.3.4.5", "2001:::1", "lab.test"})
    EXPECT_FALSE(parse_ip_address(text)) << text;
  EXPECT_TRUE(address("192.0.2.1").is_ipv4());
  EXPECT_FALSE(address("2001:db8::1").is_ipv4());
}

TEST(EthernetFrame, UdpOverIpv4) {
  const auto frame = test::query_frame(10001, "question");
  const auto packet = parse_ethernet_frame(frame);
  ASSERT_TRUE(packet) << packet.error();
  EXPECT_EQ(packet->tuple, (FiveTuple{IpProtocol::kUdp, address(test::kClient), 10001,
                                      address(test::kServer), 53}));
  EXPECT_EQ(packet->ip_length, 20U + 8U + 8U);
  EXPECT_EQ(base::as_text(packet->payload), "question");
  EXPECT_FALSE(packet->fragment);
}

TEST(EthernetFrame, TcpOverIpv6BehindExtensionHeaders) {
  const auto segment = test::tcp(10002, 853, "hello");
  // Destination options (eight bytes), then TCP.
  const auto options = test::joined({6, 0, 1, 4, 0, 0, 0, 0}, segment);
  const auto frame = ethernet(test::ipv6(test::kClient6, test::kServer6, 60, options));
  const auto packet = parse_ethernet_frame(frame);
  ASSERT_TRUE(packet) << packet.error();
  EXPECT_EQ(packet->tuple.protocol, IpProtocol::kTcp);
  EXPECT_EQ(packet->tuple.source_port, 10002);
  EXPECT_EQ(packet->ip_length, 40U + options.size());
  EXPECT_EQ(base::as_text(packet->payload), "hello");
}

TEST(EthernetFrame, PaddingBehindTheIpPacketDoesNotCount) {
  auto frame = test::query_frame(10001, "q");
  frame.resize(60);
  const auto packet = parse_ethernet_frame(frame);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->ip_length, 29U);
  EXPECT_EQ(packet->payload.size(), 1U);
}

// Some senders pad inside the IP packet, and some captures end it late.
TEST(EthernetFrame, BytesBehindTheDatagramAreNoPayload) {
  const auto payload_with_length = [](std::uint8_t length) {
    auto datagram = test::udp(10001, 53, "question");
    datagram[5] = length;
    const auto frame = ethernet(test::ipv4(test::kClient, test::kServer, 17, datagram));
    return std::string(base::as_text(parse_ethernet_frame(frame)->payload));
  };
  EXPECT_EQ(payload_with_length(8 + 5), "quest");
  EXPECT_EQ(payload_with_length(8), "");
  EXPECT_EQ(payload_with_length(7), "");
  EXPECT_EQ(payload_with_length(200), "question");  // the IP packet ends first
}

TEST(EthernetFrame, TcpHeaderIsThereWhereItIsWhole) {
  auto segment = test::tcp(10001, 853, "hello");
  segment[7] = 77;
  test::Bytes frame;  // what the packet views
  const auto packet_of = [&] {
    frame = ethernet(test::ipv4(test::kClient, test::kServer, 6, segment));
    return parse_ethernet_frame(frame).value();
  };
  ASSERT_TRUE(packet_of().tcp);
  EXPECT_EQ(packet_of().tcp->sequence, 77U);
  EXPECT_EQ(packet_of().payload.size(), 5U);
  // A header of 60 bytes in a segment of 25, then one of 16 bytes: where the payload is, nobody
  // knows.
  for (const unsigned words : {15U, 4U}) {
    segment[12] = static_cast<std::uint8_t>(words << 4U);
    EXPECT_FALSE(packet_of().tcp) << words;
    EXPECT_TRUE(packet_of().payload.empty()) << words;
    EXPECT_EQ(packet_of().tuple.destination_port, 853) << words;
  }
}

TEST(EthernetFrame, FragmentsOfIpv4) {
  const auto datagram = test::udp(10001, 53, std::string(1000, 'x'));
  const test::Ipv4Options first{.identification = 7, .flags_and_offset = 0x2000};
  const test::Ipv4Options second{.identification = 7, .flags_and_offset = 64};
  const auto first_frame = ethernet(test::ipv4(test::kClient, test::kServer, 17, datagram, first));
  const auto second_frame =
      ethernet(test::ipv4(test::kClient, test::kServer, 17, test::bytes_of("rest"), second));
  EXPECT_EQ(parse_ethernet_frame(first_frame)->fragment, (Fragment{7, true}));
  EXPECT_EQ(parse_ethernet_frame(first_frame)->tuple.source_port, 10001);
  EXPECT_EQ(parse_ethernet_frame(second_frame)->fragment, (Fragment{7, false}));
  EXPECT_EQ(parse_ethernet_frame(second_frame)->tuple.source_port, 0);
}

TEST(EthernetFrame, FragmentOfIpv6) {
  const test::Bytes header{17, 0, 0, 8, 0, 0, 0, 9};  // offset 1, identification 9
  const auto frame =
      ethernet(test::ipv6(test::kClient6, test::kServer6, 44, test::joined(header, {1, 2, 3, 4})));
  const auto packet = parse_ethernet_frame(frame);
  ASSERT_TRUE(packet) << packet.error();
  EXPECT_EQ(packet->fragment, (Fragment{9, false}));
  EXPECT_EQ(packet->tuple.protocol, IpProtocol::kUdp);
  EXPECT_EQ(packet->tuple.source_port, 0);
}

TEST(EthernetFrame, IcmpErrorQuotesItsCause) {
  // Routers quote the header and eight bytes; the quoted length says more than there is.
  auto quoted = test::ipv4(test::kServer, test::kClient, 17, test::udp(853, 10001, "long answer"));
  quoted.resize(28);
  const auto frame = ethernet(test::ipv4(test::kClient, test::kServer, 1, test::icmp(3, quoted)));
  const auto packet = parse_ethernet_frame(frame);
  ASSERT_TRUE(packet) << packet.error();
  ASSERT_TRUE(packet->quoted);
  EXPECT_EQ(packet->quoted->source_port, 853);
  EXPECT_EQ(packet->quoted->destination_port, 10001);
  EXPECT_FALSE(packet->is_echo());
}

TEST(EthernetFrame, EchoesAreKnown) {
  const auto four = ethernet(test::ipv4(test::kClient, test::kServer, 1, test::icmp(8, {})));
  const auto six = ethernet(test::ipv6(test::kServer6, test::kClient6, 58, test::icmp(129, {})));
  EXPECT_TRUE(parse_ethernet_frame(four)->is_echo());
  EXPECT_TRUE(parse_ethernet_frame(six)->is_echo());
}

TEST(EthernetFrame, EveryTruncationIsRefused) {
  const std::vector<test::Bytes> frames{
      test::query_frame(10001, "question"),
      ethernet(test::ipv6(test::kClient6, test::kServer6, 60,
                          test::joined({6, 0, 1, 4, 0, 0, 0, 0}, test::tcp(1, 2, "x"))))};
  for (const test::Bytes& frame : frames)
    for (std::size_t length = 0; length < frame.size(); ++length)
      EXPECT_FALSE(parse_ethernet_frame(std::span(frame).first(length))) << length;
}

TEST(EthernetFrame, ContradictionsAreRefused) {
  auto short_header = test::query_frame(1, "");
  short_header[14] = 0x44;  // header of 16 bytes
  EXPECT_FALSE(parse_ethernet_frame(short_header));
  auto short_total = test::query_frame(1, "");
  short_total[16] = 0;
  short_total[17] = 19;
  EXPECT_FALSE(parse_ethernet_frame(short_total));
  auto wrong_version = test::query_frame(1, "");
  wrong_version[14] = 0x65;
  EXPECT_FALSE(parse_ethernet_frame(wrong_version));
  auto arp = test::query_frame(1, "");
  arp[13] = 6;
  EXPECT_FALSE(parse_ethernet_frame(arp));
  // Twelve hop-by-hop headers: more than any sender writes.
  test::Bytes headers;
  for (int count = 0; count < 12; ++count)
    headers = test::joined({0, 0, 0, 0, 0, 0, 0, 0}, headers);
  EXPECT_FALSE(
      parse_ethernet_frame(ethernet(test::ipv6(test::kClient6, test::kServer6, 0, headers))));
}

}  // namespace
}  // namespace captures
