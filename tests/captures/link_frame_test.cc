#include "captures/link_frame.hh"

#include "base/file_descriptor.hh"
#include "tests/captures/frame_builder.hh"

#include <gtest/gtest.h>

#include <algorithm>

namespace captures {
namespace {

using Bytes = test::Bytes;

Bytes packet_of(int version) {
  const Bytes datagram = test::udp(10001, 53, "question");
  return version == 4 ? test::ipv4(test::kClient, test::kServer, 17, datagram)
                      : test::ipv6(test::kClient6, test::kServer6, 17, datagram);
}

// One way in which a link carries one IP version.
struct Link {
  const char* name;
  std::uint32_t type;
  Bytes header;
  int version;
};

Bytes ether(const Bytes& behind_addresses) {
  return test::joined(Bytes(12, 2), behind_addresses);
}

Bytes cooked(const Bytes& protocol) {
  return test::joined({0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0}, protocol);
}

Bytes cooked_two(const Bytes& protocol, const Bytes& behind = {}) {
  const Bytes rest{0, 0, 0, 0, 0, 3, 0, 1, 4, 6, 2, 0, 0, 0, 0, 1, 0, 0};
  return test::joined(test::joined(protocol, rest), behind);
}

std::vector<Link> links() {
  return {
      {"ethernet_4", kLinkEthernet, ether({8, 0}), 4},
      {"ethernet_6", kLinkEthernet, ether({0x86, 0xdd}), 6},
      {"vlan", kLinkEthernet, ether({0x81, 0, 0, 7, 8, 0}), 4},
      {"service_vlan", kLinkEthernet, ether({0x88, 0xa8, 0, 7, 0x81, 0, 0, 8, 0x86, 0xdd}), 6},
      {"raw_4", kLinkRaw, {}, 4},
      {"raw_6", kLinkRaw, {}, 6},
      {"raw_system", kLinkRawSystem, {}, 4},
      {"raw_openbsd", kLinkRawOpenBsd, {}, 6},
      {"ipv4", kLinkIpv4, {}, 4},
      {"ipv6", kLinkIpv6, {}, 6},
      {"ppp_4", kLinkPpp, {0, 0x21}, 4},
      {"ppp_6", kLinkPpp, {0, 0x57}, 6},
      {"ppp_compressed", kLinkPpp, {0x57}, 6},
      {"ppp_framed", kLinkPpp, {0xff, 3, 0, 0x57}, 6},
      {"ppp_framed_compressed", kLinkPpp, {0xff, 3, 0x21}, 4},
      {"null_little", kLinkNull, {2, 0, 0, 0}, 4},
      {"null_big", kLinkNull, {0, 0, 0, 2}, 4},
      {"null_linux", kLinkNull, {10, 0, 0, 0}, 6},
      {"null_openbsd", kLinkNull, {0, 0, 0, 24}, 6},
      {"null_freebsd", kLinkNull, {28, 0, 0, 0}, 6},
      {"null_darwin", kLinkNull, {30, 0, 0, 0}, 6},
      {"loop_4", kLinkLoop, {0, 0, 0, 2}, 4},
      {"loop_6", kLinkLoop, {0, 0, 0, 24}, 6},
      {"cooked_4", kLinkLinuxCooked, cooked({8, 0}), 4},
      {"cooked_6", kLinkLinuxCooked, cooked({0x86, 0xdd}), 6},
      {"cooked_vlan", kLinkLinuxCooked, cooked({0x81, 0, 0, 7, 8, 0}), 4},
      {"cooked_two_4", kLinkLinuxCookedTwo, cooked_two({8, 0}), 4},
      {"cooked_two_6", kLinkLinuxCookedTwo, cooked_two({0x86, 0xdd}), 6},
      {"cooked_two_vlan", kLinkLinuxCookedTwo, cooked_two({0x81, 0}, {0, 7, 0x86, 0xdd}), 6},
  };
}

class LinkFrame : public testing::TestWithParam<Link> {};

TEST_P(LinkFrame, CarriesTheIpPacket) {
  const Link& link = GetParam();
  const Bytes frame = test::joined(link.header, packet_of(link.version));
  EXPECT_EQ(ip_offset(link.type, frame), link.header.size());
  const auto packet = parse_frame(link.type, frame);
  ASSERT_TRUE(packet) << packet.error();
  EXPECT_EQ(packet->tuple.source.is_ipv4(), link.version == 4);
  EXPECT_EQ(packet->tuple.source_port, 10001);
  EXPECT_EQ(base::as_text(packet->payload), "question");
}

TEST_P(LinkFrame, EveryTruncationIsRefused) {
  const Link& link = GetParam();
  const Bytes frame = test::joined(link.header, packet_of(link.version));
  for (std::size_t length = 0; length < frame.size(); ++length) {
    const auto start = std::span(frame).first(length);
    EXPECT_FALSE(parse_frame(link.type, start)) << length;
    EXPECT_EQ(ip_offset(link.type, start).has_value(), length > link.header.size()) << length;
  }
}

// What a link announces and what it carries must be the same version, or other bytes would pass for
// addresses. Raw IP announces nothing.
TEST_P(LinkFrame, AnnouncesTheVersion) {
  const Link& link = GetParam();
  const Bytes frame = test::joined(link.header, packet_of(link.version == 4 ? 6 : 4));
  const auto offset = ip_offset(link.type, frame);
  if (std::ranges::contains(std::array{kLinkRaw, kLinkRawSystem, kLinkRawOpenBsd}, link.type)) {
    EXPECT_EQ(offset, 0U);
  } else {
    ASSERT_FALSE(offset);
    EXPECT_EQ(offset.error(), "not an IP packet");
  }
}

INSTANTIATE_TEST_SUITE_P(All, LinkFrame, testing::ValuesIn(links()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(LinkTypes, EachKnownOneIsTested) {
  for (const std::uint32_t type : kKnownLinkTypes) {
    EXPECT_TRUE(is_known_link_type(type));
    EXPECT_TRUE(std::ranges::contains(links(), type, &Link::type)) << type;
  }
}

TEST(LinkTypes, OthersAreRefused) {
  for (const std::uint32_t type : {105U, 127U, 0x10001U}) {
    EXPECT_FALSE(is_known_link_type(type));
    EXPECT_EQ(parse_frame(type, packet_of(4)).error(), "unknown link type");
  }
}

struct NotIp {
  std::uint32_t type;
  Bytes header;
  std::string_view complaint;
};

TEST(LinkTypes, OtherProtocolsAreRefused) {
  for (const auto& [type, header, complaint] : {
           NotIp{kLinkEthernet, ether({8, 6}), "not an IP packet"},           // ARP
           NotIp{kLinkEthernet, ether({0x81, 0, 0, 7}), "not an IP packet"},  // a tag, then 0x4500
           NotIp{kLinkPpp, {0xc0, 0x21}, "not an IP packet"},                 // LCP
           NotIp{kLinkPpp, {0xff, 0, 0, 0x21}, "not an IP packet"},  // no address and control
           NotIp{kLinkPpp, {0x2d}, "not an IP packet"},              // compressed TCP, RFC 1144
           NotIp{kLinkNull, {0, 0, 2, 0}, "not an IP packet"},       // no byte order makes this 2
           NotIp{kLinkLoop, {2, 0, 0, 0}, "not an IP packet"},       // network byte order only
           NotIp{kLinkLinuxCooked, cooked({0, 4}), "not an IP packet"},  // 802.2
           NotIp{kLinkLinuxCookedTwo, cooked_two({8, 6}), "not an IP packet"},
       })
    EXPECT_EQ(parse_frame(type, test::joined(header, packet_of(4))).error(), complaint) << type;
  EXPECT_EQ(parse_frame(kLinkRaw, Bytes{0x15, 0, 0, 0}).error(), "not an IP packet");
}

TEST(LinkTypes, ATagCutShortIsNamed) {
  EXPECT_EQ(parse_frame(kLinkEthernet, ether({0x81, 0, 0, 7, 8})).error(), "VLAN tag cut short");
}

}  // namespace
}  // namespace captures
