#include "netns/ip_address.hh"

#include <gmock/gmock.h>
#include <netinet/in.h>

#include <vector>

namespace netns {
namespace {

TEST(IpAddress, NumericFormsOnly) {
  for (const auto* text : {"198.51.100.1", "2001:db8:53::1", "::", "0.0.0.0", "::ffff:192.0.2.1"}) {
    const auto address = IpAddress::parse(text);
    ASSERT_TRUE(address.has_value()) << text;
    EXPECT_EQ(address->to_string(), text);
    EXPECT_EQ(IpAddress::from(std::as_bytes(address->bytes())), address);
  }
  for (const auto* text : {"", "198.51.100", "198.51.100.256", "0x7f000001", "fe80::1%eth0",
                           "dns.lab.test", " 192.0.2.1", "2001:db8::1::1", "192.0.2.1/24"})
    EXPECT_FALSE(IpAddress::parse(text).has_value()) << text;
}

TEST(IpAddress, OnlyFourOrSixteenBytes) {
  for (const std::size_t size : {0UZ, 3UZ, 5UZ, 15UZ, 17UZ})
    EXPECT_FALSE(IpAddress::from(std::vector<std::byte>(size)).has_value()) << size;
}

TEST(IpAddress, SocketAddressesCarryFamilyAndPort) {
  socklen_t length = 0;
  const auto v4 = IpAddress::parse("192.0.2.1")->socket_address(853, length);
  EXPECT_EQ(length, sizeof(sockaddr_in));
  EXPECT_EQ(v4.ss_family, AF_INET);
  EXPECT_EQ(reinterpret_cast<const sockaddr_in&>(v4).sin_port, htons(853));
  EXPECT_EQ(reinterpret_cast<const sockaddr_in&>(v4).sin_addr.s_addr, htonl(0xc0000201));
  const auto v6 = IpAddress::parse("::1")->socket_address(443, length);
  EXPECT_EQ(length, sizeof(sockaddr_in6));
  EXPECT_EQ(v6.ss_family, AF_INET6);
  EXPECT_EQ(reinterpret_cast<const sockaddr_in6&>(v6).sin6_addr.s6_addr[15], 1);
}

}  // namespace
}  // namespace netns
