#include "clients/query_request.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace clients {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kComplete =
    R"({"id":"retry=always/doq:117","cell":"retry=always/doq","transport":"doq",)"
    R"("block":2,"index":117,)"
    R"("seed":"18446744073709551615","server":"198.51.100.53","port":8853,"local_port":10001,)"
    R"("server_name":"dns.lab.test","path":"/q","question":{"name":"a.lab.test","type":"AAAA"},)"
    R"("timeout_ns":2000000000,"groups":["X25519"],"initial_rtt_ns":100000000,)"
    R"("max_udp_payload":1350,"pmtud":true,"padding":"none","method":"POST","ca_file":"/ca.pem"})";

TEST(QueryRequest, SaysEverythingAboutAQuery) {
  const auto request = parse_query_request(kComplete);
  ASSERT_TRUE(request) << request.error();
  EXPECT_EQ(request->identity.id, "retry=always/doq:117");
  EXPECT_EQ(request->identity.cell, "retry=always/doq");
  EXPECT_EQ(request->identity.block, 2U);
  EXPECT_EQ(request->identity.index, 117U);
  EXPECT_EQ(request->identity.seed, 18446744073709551615U);
  const QuerySpec& spec = request->spec;
  EXPECT_EQ(spec.transport, Transport::kDoq);
  EXPECT_EQ(endpoint_text(spec.server), "198.51.100.53:8853");
  EXPECT_EQ(spec.local_port, 10001);
  EXPECT_EQ(spec.server_name, "dns.lab.test");
  EXPECT_EQ(spec.path, "/q");
  EXPECT_EQ(spec.question.name, "a.lab.test");
  EXPECT_EQ(spec.question.type, transport::RecordType::kAaaa);
  EXPECT_EQ(spec.timeout, seconds(2));
  EXPECT_THAT(spec.groups, ElementsAre("X25519"));
  EXPECT_EQ(spec.initial_rtt, milliseconds(100));
  EXPECT_EQ(spec.max_udp_payload, 1350);
  EXPECT_TRUE(spec.pmtud);
  EXPECT_EQ(spec.padding, Padding::kNone);
  EXPECT_EQ(spec.method, HttpMethod::kPost);
  EXPECT_EQ(spec.trust, Trust::kFile);
  EXPECT_EQ(spec.ca_file, "/ca.pem");
}

TEST(QueryRequest, NeedsOnlyServerTransportAndQuestion) {
  const auto request = parse_query_request(
      R"({"transport":"dot","server":"2001:db8::53","question":{"name":"."},"seed":7,)"
      R"("ca_file":null})");
  ASSERT_TRUE(request) << request.error();
  EXPECT_EQ(endpoint_text(request->spec.server), "[2001:db8::53]:853");
  EXPECT_EQ(request->identity.seed, 7U);
  EXPECT_EQ(request->spec.server_name, "2001:db8::53");
  EXPECT_EQ(request->spec.question.type, transport::RecordType::kA);
  EXPECT_EQ(request->spec.timeout, seconds(10));
  EXPECT_EQ(request->spec.initial_rtt, milliseconds(333));
  EXPECT_EQ(request->spec.max_udp_payload, 1200);
  EXPECT_FALSE(request->spec.pmtud);
  EXPECT_EQ(request->spec.padding, Padding::kRfc8467);
  EXPECT_EQ(request->spec.trust, Trust::kUnchecked);
}

struct BadRequest {
  std::string change;  // JSON merged over a good request
  std::string complaint;
};

class RefusesRequest : public testing::TestWithParam<BadRequest> {};

TEST_P(RefusesRequest, NamingTheKey) {
  // A later key of the same name wins in the parser.
  std::string line =
      R"({"transport":"dot","server":"192.0.2.1","question":{"name":"a.example","type":"A"},)";
  line += GetParam().change + "}";
  const auto request = parse_query_request(line);
  ASSERT_FALSE(request) << line;
  EXPECT_THAT(request.error(), HasSubstr(GetParam().complaint)) << line;
}

INSTANTIATE_TEST_SUITE_P(
    Keys, RefusesRequest,
    testing::Values(BadRequest{R"("timeout":1)", "timeout: unknown key"},
                    BadRequest{R"("transport":"doh")", "transport"},
                    BadRequest{R"("transport":null)", "transport"},
                    BadRequest{R"("server":"dns.example")", "server: 'dns.example'"},
                    BadRequest{R"("port":65536)", "port"}, BadRequest{R"("port":"53")", "port"},
                    BadRequest{R"("local_port":-1)", "local_port"},
                    BadRequest{R"("question":null)", "question"},
                    BadRequest{R"("question":{"name":"a..b"})", "question.name"},
                    BadRequest{R"("question":{"name":"a","type":"BOGUS"})", "question.type"},
                    BadRequest{R"("timeout_ns":0)", "timeout_ns"},
                    BadRequest{R"("timeout_ns":3600000000001)", "timeout_ns"},
                    BadRequest{R"("initial_rtt_ns":-5)", "initial_rtt_ns"},
                    BadRequest{R"("max_udp_payload":1199)", "max_udp_payload"},
                    BadRequest{R"("pmtud":1)", "pmtud"},
                    BadRequest{R"("padding":"468")", "padding: '468'"},
                    BadRequest{R"("method":"get")", "method: 'get'"},
                    BadRequest{R"("groups":["X25519",1])", "groups"},
                    BadRequest{R"("seed":"12x")", "seed"}, BadRequest{R"("seed":-1)", "seed"}));

TEST(QueryRequest, IsOneJsonObject) {
  for (const std::string_view line : {"", "null", "[]", "{", "{} {}", "\xff"})
    EXPECT_FALSE(parse_query_request(line)) << line;
  EXPECT_THAT(parse_query_request(std::string(kMaxRequestLineBytes + 1, ' ')).error(),
              HasSubstr("longer than"));
}

}  // namespace
}  // namespace clients
