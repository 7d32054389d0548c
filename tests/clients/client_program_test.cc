#include "clients/client_program.hh"

#include "clients/address.hh"
#include "clients/dns_query.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace clients {
namespace {

using captures::Fault;
using captures::Outcome;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

const ClientSite kSite{.folder = "/run/c", .local_address = "198.51.100.1"};

QuerySpec spec(Transport transport) {
  QuerySpec spec;
  spec.transport = transport;
  spec.server = parse_address("198.51.100.53", default_port(transport)).value();
  spec.local_port = 10007;
  spec.server_name = "dns.lab.test";
  spec.question = {.name = "a.lab.test"};
  spec.ca_file = "/run/ca.pem";
  spec.trust = Trust::kFile;
  return spec;
}

captures::QueryRecord read(const char* program, Transport transport, const ClientTraces& traces) {
  captures::QueryRecord record;
  record.transport = to_string(transport);
  record.client.emplace();
  find_client_program(program)->read(traces, spec(transport), record);
  return record;
}

TEST(ClientPrograms, AreFoundByNameAndHaveACommandForEachTransport) {
  for (const ClientProgram& program : client_programs()) {
    ASSERT_EQ(find_client_program(program.name), &program);
    for (const Transport transport : program.transports) {
      const ClientCommand command = program.command(spec(transport), kSite);
      EXPECT_THAT(command.argv.front(), StartsWith("/usr/bin/")) << program.name;
      EXPECT_THAT(command.argv, Contains(HasSubstr("10007"))) << program.name;
      EXPECT_THAT(command.environment, Contains("SSLKEYLOGFILE=/run/c/keys")) << program.name;
      if (is_encrypted(transport)) {
        EXPECT_THAT(command.argv, Contains(HasSubstr("/run/ca.pem"))) << program.name;
      }
    }
  }
  EXPECT_EQ(find_client_program("labquery"), nullptr);
}

TEST(ClientPrograms, AreToldAllOfAQuery) {
  QuerySpec doh = spec(Transport::kDoh2);
  doh.timeout = std::chrono::seconds(3);
  EXPECT_THAT(find_client_program("kdig")->command(doh, kSite).argv,
              IsSupersetOf({"198.51.100.1@10007", "443", "@198.51.100.53", "+retry=0", "+timeout=3",
                            "+https=dns.lab.test/dns-query", "+https-get",
                            "+tls-hostname=dns.lab.test", "+alignment=128"}));
  EXPECT_THAT(find_client_program("dig")->command(doh, kSite).argv,
              IsSupersetOf({"198.51.100.1#10007", "443", "@198.51.100.53", "+tries=1", "+timeout=3",
                            "+https-get=/dns-query", "+tls-hostname=dns.lab.test", "+padding=128",
                            "+nocookie"}));
  doh.method = HttpMethod::kPost;
  doh.padding = Padding::kNone;
  EXPECT_THAT(find_client_program("kdig")->command(doh, kSite).argv,
              AllOf(Contains("+nopadding"), Not(Contains("+https-get"))));
  const ClientCommand dig = find_client_program("dig")->command(doh, kSite);
  EXPECT_THAT(dig.argv, AllOf(Contains("+https=/dns-query"), Not(Contains(HasSubstr("+padding")))));
  ASSERT_EQ(dig.files.size(), 1U);
  EXPECT_THAT(dig.files[0].text, HasSubstr("Groups = X25519MLKEM768:X25519\n"));
  const ClientCommand curl = find_client_program("curl")->command(doh, kSite);
  EXPECT_THAT(curl.argv, IsSupersetOf({"--http2", "--max-time", "3.000", "--curves",
                                       "X25519MLKEM768:X25519", "--data-binary", "@/run/c/query"}));
  ASSERT_EQ(curl.files.size(), 1U);
  EXPECT_EQ(curl.files[0].text.size(), make_dns_query(doh).wire.size());
}

TEST(ClientPrograms, AskOverIpv6) {
  QuerySpec doh = spec(Transport::kDoh3);
  doh.server = parse_address("2001:db8::53", 443).value();
  EXPECT_THAT(find_client_program("curl")->command(doh, kSite).argv,
              IsSupersetOf({"--http3-only", "dns.lab.test:443:[2001:db8::53]"}));
}

TEST(KdigText, IsReadWithItsSession) {
  const auto record =
      read("kdig", Transport::kDoq,
           {.status = {},
            .output = ";; DEBUG: TLS, imported 1 certificates from '/run/ca.pem'\n"
                      ";; QUIC session (QUICv1)-(TLS1.3)-(ECDHE-X25519)-(ECDSA-SECP256R1-SHA256)-"
                      "(AES-256-GCM)\n;; ->>HEADER<<- opcode: QUERY; status: NOERROR; id: 0\n\n"
                      ";; ANSWER SECTION:\na.lab.test.         \t60\tIN\tA\t192.0.2.1\n"
                      "a.lab.test.         \t60\tIN\tTXT\t\"two  words\" \"more\"\n\n"
                      ";; Received 468 B\n;; Time 2026-12-01 04:21:17 UTC\n"
                      ";; From 127.0.0.1@28853(QUIC) in 80.1 ms\n",
            .complaint = "",
            .answer = ""});
  EXPECT_EQ(record.outcome, Outcome::kAnswered);
  EXPECT_EQ(record.rcode, "NOERROR");
  EXPECT_EQ(record.group, "X25519");
  ASSERT_TRUE(record.tls && record.answer);
  EXPECT_EQ(record.tls->version, "TLSv1.3");
  EXPECT_EQ(record.answer->bytes, 468U);
  EXPECT_THAT(record.answer->records, ElementsAre("a.lab.test. 60 IN A 192.0.2.1",
                                                  "a.lab.test. 60 IN TXT \"two  words\" \"more\""));
  EXPECT_EQ(record.own_time, std::chrono::microseconds(80'100));
  EXPECT_FALSE(record.fallback);
}

TEST(DigText, IsReadWithItsFallback) {
  const auto record = read("dig", Transport::kDo53,
                           {.status = {},
                            .output = ";; Truncated, retrying in TCP mode.\n;; Got answer:\n"
                                      ";; ->>HEADER<<- opcode: QUERY, status: NXDOMAIN, id: 5\n"
                                      ";; Query time: 40144 usec\n"
                                      ";; SERVER: 198.51.100.53#53(198.51.100.53) (TCP)\n"
                                      ";; MSG SIZE  rcvd: 55\n",
                            .complaint = "",
                            .answer = ""});
  EXPECT_EQ(record.outcome, Outcome::kAnswered);
  EXPECT_EQ(record.rcode, "NXDOMAIN");
  EXPECT_EQ(record.answer->bytes, 55U);
  EXPECT_TRUE(record.answer->records.empty());
  EXPECT_EQ(record.own_time, std::chrono::microseconds(40'144));
  EXPECT_EQ(record.fallback, "tcp");
}

TEST(CurlAnswer, IsCheckedAsLabqueryDoes) {
  const DnsQuery query = make_dns_query(spec(Transport::kDoh2));
  const auto asked = transport::parse_dns_message(query.wire).value();
  const auto wire =
      transport::encode_dns_message(transport::make_response(asked, transport::Rcode::kNxDomain));
  ClientTraces traces{.status = {},
                      .output = "200 2 0.120345 application/dns-message",
                      .complaint = "",
                      .answer = {wire.begin(), wire.end()}};
  const auto record = read("curl", Transport::kDoh2, traces);
  EXPECT_EQ(record.outcome, Outcome::kAnswered);
  EXPECT_EQ(record.rcode, "NXDOMAIN");
  EXPECT_EQ(record.http_status, 200);
  EXPECT_EQ(record.own_time, std::chrono::microseconds(120'345));
  // HTTP/2 where HTTP/3 was asked for.
  EXPECT_EQ(read("curl", Transport::kDoh3, traces).outcome, Outcome::kFailed);
  traces.answer = "no DNS";
  const auto garbled = read("curl", Transport::kDoh2, traces);
  EXPECT_EQ(garbled.outcome, Outcome::kFailed);
  EXPECT_EQ(garbled.client->fault, Fault::kServer);
  EXPECT_THAT(garbled.error.value(), HasSubstr("malformed answer"));
}

// What the programs said when it was tried.
struct Failure {
  const char* name;
  const char* program;
  int code;
  const char* output;
  const char* complaint;
  Fault fault;
  const char* error;
};

class ClientFailure : public testing::TestWithParam<Failure> {};

TEST_P(ClientFailure, IsToldFromTheServers) {
  const Failure& row = GetParam();
  const auto record = read(row.program, Transport::kDoh2,
                           {.status = {.code = row.code},
                            .output = row.output,
                            .complaint = row.complaint,
                            .answer = ""});
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_EQ(record.client->fault, row.fault);
  EXPECT_THAT(record.error.value(), HasSubstr(row.error));
}

INSTANTIATE_TEST_SUITE_P(
    All, ClientFailure,
    testing::Values(
        Failure{
            "kdig_certificate", "kdig", 1,
            ";; DEBUG: TLS, The certificate is NOT trusted. The certificate issuer is unknown. \n",
            ";; ERROR: failed to query server 127.0.0.1@28853(UDP)\n", Fault::kClient,
            "issuer is unknown"},
        Failure{"kdig_alert", "kdig", 1, "",
                ";; WARNING: TLS, handshake failed (A TLS fatal alert has been received.)\n",
                Fault::kServer, "fatal alert"},
        Failure{"kdig_refused", "kdig", 1, "",
                ";; WARNING: can't connect to 127.0.0.1@29999(TLS)\n", Fault::kServer,
                "can't connect"},
        Failure{"kdig_status", "kdig", 1,
                ";; HTTP session (HTTP/2-POST)-(dns.lab.test/wrong)-(status: 404)\n",
                ";; WARNING: can't receive reply from 127.0.0.1@28443(HTTPS)\n", Fault::kServer,
                "HTTP status 404"},
        Failure{"kdig_misused", "kdig", 1, "Usage: kdig\n", ";; ERROR: invalid option: +bogus\n",
                Fault::kClient, "invalid option: +bogus"},
        Failure{"kdig_quic", "kdig", 1, "", ";; WARNING: QUIC, failed to send\n", Fault::kUnknown,
                "QUIC, failed to send"},
        Failure{
            "dig_certificate", "dig", 0,
            ";; TLS peer certificate verification for 127.0.0.1#28853 failed: hostname mismatch\n",
            "", Fault::kClient, "hostname mismatch"},
        Failure{"dig_reset", "dig", 9,
                ";; Connection to 127.0.0.1#29854(127.0.0.1) for a.lab.test failed: connection "
                "reset.\n",
                "", Fault::kServer, "connection reset"},
        Failure{"dig_silent", "dig", 0, "", "", Fault::kUnknown,
                "dig said nothing and ended with exit code 0"},
        Failure{"dig_misused", "dig", 1, "", "Invalid option: +bogus\n", Fault::kClient,
                "Invalid option"},
        Failure{"curl_certificate", "curl", 60, "000 0 0.003 ",
                "curl: (60) SSL certificate OpenSSL verify result: unable to get local issuer\n"
                "More details here: https://curl.se/docs/sslcerts.html\n",
                Fault::kClient, "curl: (60) SSL certificate OpenSSL verify result"},
        Failure{"curl_alert", "curl", 35, "000 0 0.003 ",
                "curl: (35) TLS connect error: tlsv1 alert no application protocol\n",
                Fault::kServer, "alert"},
        Failure{"curl_status", "curl", 0, "404 2 0.003 text/plain", "", Fault::kServer,
                "HTTP status 404"},
        Failure{"curl_misused", "curl", 2, "", "curl: option --bogus: is unknown\n", Fault::kClient,
                "unknown"}),
    [](const testing::TestParamInfo<Failure>& one) { return std::string(one.param.name); });

TEST(KeylogLines, AreFoundBehindMarksOfAProgram) {
  const std::string random(64, 'a');
  const std::string line = "CLIENT_TRAFFIC_SECRET_0 " + random + " " + std::string(64, 'b');
  const std::string text = "01-Dec-2026 04:21:17.789 " + line + "\nsomething else\n" + line + "\n";
  EXPECT_EQ(keylog_lines(text), line + "\n" + line + "\n");
  EXPECT_EQ(without_keylog_lines(text), "something else\n");
}

}  // namespace
}  // namespace clients
