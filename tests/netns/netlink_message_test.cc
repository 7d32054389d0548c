#include "netns/netlink_message.hh"

#include <gmock/gmock.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <array>

namespace netns {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NetlinkMessage, AttributesAreFoundByNumber) {
  NetlinkMessage message(RTM_NEWLINK, NLM_F_CREATE, ifinfomsg{});
  message.put(IFLA_IFNAME, "eth0").put_u32(IFLA_MTU, 1500).put_u8(IFLA_CARRIER, 1);
  const NetlinkAttributes attributes(message.header(), sizeof(ifinfomsg));
  EXPECT_EQ(attributes.text(IFLA_IFNAME), "eth0");
  EXPECT_EQ(attributes.value<std::uint32_t>(IFLA_MTU), 1500U);
  EXPECT_EQ(attributes.value<std::uint8_t>(IFLA_CARRIER), 1);
  EXPECT_FALSE(attributes.has(IFLA_ADDRESS));
  EXPECT_THAT(attributes.payload(IFLA_ADDRESS), IsEmpty());
  EXPECT_EQ(attributes.text(IFLA_ADDRESS), "");
  EXPECT_EQ(message.name(), "RTM_NEWLINK");
  EXPECT_EQ(message.header().nlmsg_flags, NLM_F_REQUEST | NLM_F_CREATE);
}

TEST(NetlinkMessage, NestsHoldTheirHeaderAndContents) {
  NetlinkMessage message(RTM_NEWLINK, 0, ifinfomsg{});
  const std::array<std::byte, 4> header{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  message.nest(
      IFLA_LINKINFO,
      [&] {
        message.put(IFLA_INFO_KIND, "veth");
        message.nest(IFLA_INFO_DATA, [&] { message.put_u32(1, 7); });
      },
      header);
  message.put_u32(IFLA_MTU, 1500);
  const NetlinkAttributes attributes(message.header(), sizeof(ifinfomsg));
  const auto nested = attributes.payload(IFLA_LINKINFO);
  EXPECT_THAT(nested.first(4), ElementsAre(std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}));
  const NetlinkAttributes inner(nested.subspan(4));
  EXPECT_EQ(inner.text(IFLA_INFO_KIND), "veth");
  EXPECT_EQ(NetlinkAttributes(inner.payload(IFLA_INFO_DATA)).value<std::uint32_t>(1), 7U);
  EXPECT_EQ(attributes.value<std::uint32_t>(IFLA_MTU), 1500U);
}

TEST(NetlinkAttributes, MalformedOnesEndTheWalk) {
  // An attribute that claims to be longer than what is there, one shorter than its own header, and
  // one of the wrong size.
  const std::array<std::byte, 8> too_long{std::byte{200}, {}, std::byte{1}, {}, {}, {}, {}, {}};
  const std::array<std::byte, 8> too_short{std::byte{2}, {}, std::byte{1}, {}, {}, {}, {}, {}};
  const std::array<std::byte, 8> one_byte{std::byte{5}, {}, std::byte{1}, {},
                                          std::byte{9}, {}, {},           {}};
  EXPECT_FALSE(NetlinkAttributes(too_long).has(1));
  EXPECT_FALSE(NetlinkAttributes(too_short).has(1));
  EXPECT_EQ(NetlinkAttributes(one_byte).value<std::uint64_t>(1), 9U);
  EXPECT_FALSE(NetlinkAttributes(std::span<const std::byte>{}).has(1));
}

}  // namespace
}  // namespace netns
