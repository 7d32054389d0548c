#include "clients/query_url.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace clients {
namespace {

struct GoodUrl {
  std::string text;
  QueryUrl url;
};

class ParsesUrl : public testing::TestWithParam<GoodUrl> {};

TEST_P(ParsesUrl, IntoItsParts) {
  const auto url = parse_query_url(GetParam().text);
  ASSERT_TRUE(url) << GetParam().text << ": " << url.error();
  EXPECT_EQ(*url, GetParam().url) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Urls, ParsesUrl,
    testing::Values(
        GoodUrl{"192.0.2.53", {Transport::kDo53, "192.0.2.53", 53, ""}},
        GoodUrl{"do53://192.0.2.53", {Transport::kDo53, "192.0.2.53", 53, ""}},
        GoodUrl{"do53://[2001:db8::53]:5353", {Transport::kDo53, "2001:db8::53", 5353, ""}},
        GoodUrl{"[2001:db8::53]", {Transport::kDo53, "2001:db8::53", 53, ""}},
        GoodUrl{"do53+tcp://ns.example", {Transport::kDo53Tcp, "ns.example", 53, ""}},
        GoodUrl{"dot://dns.example/", {Transport::kDot, "dns.example", 853, ""}},
        GoodUrl{"tls://dns.example:65535", {Transport::kDot, "dns.example", 65535, ""}},
        GoodUrl{"quic://dns.example", {Transport::kDoq, "dns.example", 853, ""}},
        GoodUrl{"doq://dns.example:1", {Transport::kDoq, "dns.example", 1, ""}},
        GoodUrl{"https://dns.example", {Transport::kDoh2, "dns.example", 443, "/dns-query"}},
        GoodUrl{"doh2://dns.example/q/x{?dns}", {Transport::kDoh2, "dns.example", 443, "/q/x"}},
        GoodUrl{"doh3://[::1]:8443/", {Transport::kDoh3, "::1", 8443, "/dns-query"}}));

struct BadUrl {
  std::string text;
  std::string complaint;
};

class RefusesUrl : public testing::TestWithParam<BadUrl> {};

TEST_P(RefusesUrl, SayingWhy) {
  const auto url = parse_query_url(GetParam().text);
  ASSERT_FALSE(url) << GetParam().text;
  EXPECT_THAT(url.error(), testing::HasSubstr(GetParam().complaint)) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Urls, RefusesUrl,
    testing::Values(BadUrl{"", "not a host"}, BadUrl{"gopher://x", "scheme 'gopher'"},
                    BadUrl{"dot://", "not a host"}, BadUrl{"dot://x:0", "'0' is not a port"},
                    BadUrl{"dot://x:65536", "not a port"}, BadUrl{"dot://x:", "'' is not a port"},
                    BadUrl{"dot://x:8a", "'8a' is not a port"},
                    BadUrl{"dot://2001:db8::1", "stands in brackets"},
                    BadUrl{"dot://[::1", "without ']'"}, BadUrl{"dot://[::1]853", "written ':853'"},
                    BadUrl{"dot://x/dns-query", "dot has no paths"},
                    BadUrl{"dot://me@x", "not a host"}, BadUrl{"https://x/a b", "not a path"},
                    BadUrl{"https://x/a?b=c", "not a path"},
                    BadUrl{"https://x/" + std::string(kMaxUrlBytes, 'a'), "longer than"}));

}  // namespace
}  // namespace clients
