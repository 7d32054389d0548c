#include "endpoints/real_server.hh"

#include "endpoints/server_text.hh"
#include "transport/dns_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace endpoints {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ServerSpec spec(const std::vector<std::string>& records = {"a.lab.test 60 A 192.0.2.1"}) {
  ServerSpec spec;
  spec.addresses = {"198.51.100.53", "2001:db8::53"};
  spec.listeners.assign(std::begin(kProtocols), std::end(kProtocols));
  spec.groups = {"X25519MLKEM768", "X25519"};
  for (const std::string& record : records)
    spec.records.push_back(transport::parse_record(record).value());
  return spec;
}

const ServerSite kSite{.folder = "/run/s",
                       .certificates = "/run/s/chain.pem",
                       .private_key = "/run/s/key.pem",
                       .combined = "/run/s/combined.pem"};

std::string file_of(const ServerProgram& program, std::string_view name) {
  for (const ServerFile& file : program.files)
    if (file.name == name) return file.text;
  return "no such file";
}

TEST(RealServers, AreFoundByName) {
  for (const RealServer& server : real_servers()) {
    ASSERT_EQ(find_real_server(server.name), &server);
    for (const ServerProgram& program : server.programs(spec(), kSite)) {
      EXPECT_THAT(program.argv.front(), StartsWith("/usr/")) << server.name;
      EXPECT_FALSE(program.files.empty()) << server.name;
    }
  }
  EXPECT_EQ(find_real_server("labdns"), nullptr);
  EXPECT_EQ(find_real_server("/usr/sbin/unbound"), nullptr);
}

TEST(RealServers, ZonesHaveWhatAuthoritativeServersWant) {
  const auto zones = zone_texts(spec({"a.lab.test 60 A 192.0.2.1", "t.lab.test 5 TXT x"}));
  ASSERT_EQ(zones.size(), 1U);
  EXPECT_EQ(zones[0].apex, "lab.test");
  EXPECT_THAT(zones[0].text, AllOf(HasSubstr(" IN SOA "), HasSubstr(" IN NS "),
                                   HasSubstr("a.lab.test. 60 IN A 192.0.2.1\n"),
                                   HasSubstr("t.lab.test. 5 IN TXT")));
}

TEST(RealServers, ANameServerBelowTheApexIsNoneOfIt) {
  const auto zones = zone_texts(spec({"a.lab.test 60 A 192.0.2.1", "sub.lab.test 60 NS ns.example",
                                      "t.lab.test 5 TXT \" IN NS \""}));
  ASSERT_EQ(zones.size(), 1U);
  EXPECT_THAT(zones[0].text, HasSubstr("\nlab.test. 60 IN NS "));
}

TEST(RealServers, AddressesAreWrittenAsEachServerReadsThem) {
  EXPECT_THAT(file_of(unbound_programs(spec(), kSite).front(), "unbound.conf"),
              AllOf(HasSubstr("interface: 198.51.100.53@853\n"),
                    HasSubstr("interface: 2001:db8::53@443\n")));
  EXPECT_THAT(
      file_of(nginx_programs(spec(), kSite).back(), "nginx.conf"),
      AllOf(HasSubstr("listen [2001:db8::53]:443 quic;"),
            HasSubstr("ssl_ecdh_curve X25519MLKEM768:X25519;"), Not(HasSubstr("quic_retry"))));
  EXPECT_THAT(file_of(haproxy_programs(spec(), kSite).back(), "haproxy.cfg"),
              HasSubstr("bind quic6@[2001:db8::53]:443 "));
  EXPECT_THAT(file_of(bind_programs(spec(), kSite).front(), "named.conf"),
              HasSubstr("listen-on-v6 port 853 tls lab { 2001:db8::53; };"));
}

TEST(RealServers, AreToldWhatTheScenarioSays) {
  ServerSpec told = spec();
  told.retry = transport::RetryPolicy::kAlways;
  told.session_tickets = 1;
  told.early_data = transport::EarlyData::kAccept;
  told.answers.padding = false;
  EXPECT_THAT(file_of(nginx_programs(told, kSite).back(), "nginx.conf"),
              AllOf(HasSubstr("quic_retry on;"), HasSubstr("ssl_early_data on;"),
                    HasSubstr("ssl_session_tickets on;")));
  EXPECT_THAT(file_of(haproxy_programs(told, kSite).back(), "haproxy.cfg"),
              AllOf(HasSubstr("quic-force-retry"), HasSubstr("allow-0rtt")));
  EXPECT_THAT(file_of(caddy_programs(told, kSite).back(), "Caddyfile"), Not(HasSubstr("0rtt off")));
  EXPECT_THAT(file_of(caddy_programs(spec(), kSite).back(), "Caddyfile"), HasSubstr("0rtt off"));
  EXPECT_THAT(file_of(unbound_programs(told, kSite).front(), "unbound.conf"),
              HasSubstr("pad-responses: no"));
}

TEST(RealServers, TextsStayWithinTheirQuotes) {
  const auto programs = unbound_programs(spec({R"(t.lab.test 60 TXT "it's; {fine}")"}), kSite);
  EXPECT_THAT(file_of(programs.front(), "unbound.conf"),
              HasSubstr(R"(local-data: 't.lab.test. 60 IN TXT "it\039s; {fine}"')"));
}

}  // namespace
}  // namespace endpoints
