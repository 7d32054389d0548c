// labdns from outside: a process, asked by kdig and curl, which owe it nothing.

#include "base/errors.hh"
#include "endpoints/bound_socket.hh"
#include "tests/endpoints/labdns_process.hh"
#include "tests/paths.hh"
#include "transport/base64url.hh"
#include "transport/dns_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace endpoints {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

constexpr const char* kKdig = "/usr/bin/kdig";
constexpr const char* kCurl = "/usr/bin/curl";

class LabdnsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* tool : {kKdig, kCurl})
      if (!std::filesystem::exists(tool)) GTEST_SKIP() << tool << " is not installed";
  }

  static std::vector<std::string> security(const LabdnsProcess& labdns) {
    return {"+tls-ca=" + labdns.ca_file(), "+tls-hostname=dns.lab.test"};
  }

  // kdig's output for one question.
  static std::string kdig(const LabdnsProcess& labdns, int port, std::vector<std::string> options,
                          const std::string& name = "a.lab.test") {
    std::vector<std::string> argv{kKdig,      "@127.0.0.1", "-p", labdns.port(port),
                                  "+retry=0", "+timeout=5"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.push_back(name);
    return run_tool(argv).output;
  }

  static std::string kdig_secure(const LabdnsProcess& labdns, int port, const std::string& how,
                                 const std::string& name = "a.lab.test") {
    std::vector<std::string> options = security(labdns);
    options.push_back(how);
    return kdig(labdns, port, options, name);
  }

  // "VERSION STATUS CONTENT-TYPE" of one DoH request.
  static std::string curl(const LabdnsProcess& labdns, const std::string& version,
                          const std::string& path_and_query) {
    const std::string port = labdns.port(443);
    return run_tool({kCurl, "--silent", "--show-error", version, "--cacert", labdns.ca_file(),
                     "--resolve", "dns.lab.test:" + port + ":127.0.0.1", "--max-time", "5",
                     "--output", "/dev/null", "--write-out",
                     "%{http_version} %{http_code} %{content_type}",
                     "https://dns.lab.test:" + port + path_and_query})
        .output;
  }
};

TEST_F(LabdnsTest, AnswersKdigOverEveryTransport) {
  const LabdnsProcess labdns({"--chain-bytes", "3900"});
  const auto answered = AllOf(HasSubstr("status: NOERROR"), HasSubstr("192.0.2.1"));
  EXPECT_THAT(kdig(labdns, 53, {}), answered);
  EXPECT_THAT(kdig(labdns, 53, {"+tcp"}), answered);
  EXPECT_THAT(kdig_secure(labdns, 853, "+tls"), answered);
  EXPECT_THAT(kdig_secure(labdns, 443, "+https"), answered);
  EXPECT_THAT(kdig_secure(labdns, 443, "+https-get"), answered);
  EXPECT_THAT(kdig_secure(labdns, 853, "+quic"), answered);
  EXPECT_THAT(kdig_secure(labdns, 853, "+quic", "b.lab.test"), HasSubstr("status: NXDOMAIN"));
}

TEST_F(LabdnsTest, AnswersCurlOverHttp2AndHttp3) {
  const LabdnsProcess labdns;
  const std::string query = transport::base64url_encode(transport::encode_dns_message(
      transport::make_query(0, transport::parse_question("a.lab.test A").value())));
  const std::string path = "/dns-query?dns=" + query;
  EXPECT_EQ(curl(labdns, "--http2", path), "2 200 application/dns-message");
  EXPECT_EQ(curl(labdns, "--http3-only", path), "3 200 application/dns-message");
  EXPECT_THAT(curl(labdns, "--http2", "/"), StartsWith("2 404"));
  EXPECT_THAT(curl(labdns, "--http3-only", "/dns-query"), StartsWith("3 400"));
}

TEST_F(LabdnsTest, ValidatesAddressesWithRetry) {
  const LabdnsProcess labdns({"--retry", "always"});
  EXPECT_THAT(kdig_secure(labdns, 853, "+quic"), HasSubstr("192.0.2.1"));
  EXPECT_THAT(curl(labdns, "--http3-only", "/"), StartsWith("3 404"));
}

TEST_F(LabdnsTest, TruncatesOverUdpAndAnswersInFullOverTcp) {
  const LabdnsProcess labdns({"--answer-bytes", "2000"});
  EXPECT_THAT(kdig(labdns, 53, {"+ignore"}), HasSubstr("qr aa tc"));
  EXPECT_THAT(kdig(labdns, 53, {}), AllOf(HasSubstr("2000 B"), HasSubstr("192.0.2.1")));
}

TEST_F(LabdnsTest, PadsEncryptedAnswersToPaddedQueries) {
  const LabdnsProcess labdns;
  std::vector<std::string> options = security(labdns);
  options.insert(options.end(), {"+tls", "+padding=128"});
  EXPECT_THAT(kdig(labdns, 853, options), HasSubstr("468 B"));
  options.back() = "+nopadding";
  EXPECT_THAT(kdig(labdns, 853, options), Not(HasSubstr("468 B")));
}

TEST_F(LabdnsTest, GoesOnAfterGarbageOnEveryPort) {
  const LabdnsProcess labdns;
  for (const int port : {53, 853, 443})
    for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
      const auto address =
          socket_address("127.0.0.1", static_cast<std::uint16_t>(std::stoi(labdns.port(port))));
      const base::FileDescriptor socket(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
      ASSERT_EQ(::connect(socket.number(), address.get(), address.length), 0);
      for (const char filler : {'\0', '\xff', '\xc3', 'G'}) {
        const std::string garbage(1300, filler);
        ::send(socket.number(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
      }
    }
  EXPECT_THAT(kdig(labdns, 53, {}), HasSubstr("192.0.2.1"));
  EXPECT_THAT(kdig_secure(labdns, 853, "+tls"), HasSubstr("192.0.2.1"));
  EXPECT_THAT(kdig_secure(labdns, 853, "+quic"), HasSubstr("192.0.2.1"));
  EXPECT_THAT(kdig_secure(labdns, 443, "+https"), HasSubstr("192.0.2.1"));
}

TEST_F(LabdnsTest, SaysThatItIsReadyAndWhatItSends) {
  const LabdnsProcess labdns({"--chain-bytes", "3900", "--transports", "dot"});
  EXPECT_THAT(labdns.ready_line(),
              MatchesRegex(R"(\{"ready":true,"chain_bytes":3900,"certificates":\[1300,1300,1300\],)"
                           R"("versions":\{"labdns":".*","openssl":"3.*","ngtcp2":"1.*",.*\},)"
                           R"("listeners":\[\{"protocol":"dot","address":"127.0.0.1",)"
                           R"("port":[0-9]+\}\]\})"
                           "\n"));
}

TEST_F(LabdnsTest, WritesTheKeysOfEveryConnection) {
  LabdnsProcess labdns;
  kdig_secure(labdns, 853, "+tls");
  kdig_secure(labdns, 853, "+quic");
  EXPECT_TRUE(labdns.end(SIGTERM).succeeded());
  const std::string keys = labdns.keylog();
  for (const char* label : {"CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET",
                            "CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"}) {
    const std::size_t first = keys.find(label);
    EXPECT_NE(first, std::string::npos) << label;
    EXPECT_NE(keys.find(label, first + 1), std::string::npos) << label;
  }
}

TEST_F(LabdnsTest, EndsWellOnSigtermAndSigint) {
  for (const int signal : {SIGTERM, SIGINT}) {
    LabdnsProcess labdns;
    EXPECT_TRUE(labdns.end(signal).succeeded());
  }
}

TEST_F(LabdnsTest, ExitsWithTheCodeOfTheProblem) {
  struct Row {
    std::vector<std::string> options;
    int code;
    const char* complaint;
  };
  for (const Row& row : std::vector<Row>{
           {{"--address", "dns.lab.test"}, base::kExitBadInput, "not an IPv4 or IPv6 address"},
           {{"--chain-bytes", "100"}, base::kExitBadInput, "a chain of 100 bytes"},
           {{"--answer-bytes", "60"}, base::kExitBadInput, "an answer of 60 bytes"},
           {{"--groups", "X25519MLKEM786"}, base::kExitBadInput, "X25519MLKEM786"},
           {{"--address", "192.0.2.1"}, base::kExitLabFailure, "no interface has this address"},
       }) {
    SCOPED_TRACE(row.complaint);
    std::vector<std::string> argv{tests::checked_programs_folder() / "labdns", "--port-offset",
                                  "9000"};
    argv.insert(argv.end(), row.options.begin(), row.options.end());
    const ToolResult result = run_tool(argv);
    EXPECT_EQ(result.status.code, row.code);
    EXPECT_THAT(result.output, HasSubstr(row.complaint));
  }
}

}  // namespace
}  // namespace endpoints
