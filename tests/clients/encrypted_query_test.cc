#include "base/errors.hh"
#include "tests/clients/conversations.hh"
#include "tests/clients/query_fixture.hh"
#include "transport/dns_framing.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clients {
namespace {

using captures::Outcome;
using captures::QueryRecord;
using std::chrono::milliseconds;
using testing::HasSubstr;
using transport::Bytes;
using transport::ByteSpan;
using transport::DnsMessage;

// A server of any encrypted transport, with the scripts that it needs.
class EncryptedServer {
 public:
  EncryptedServer(Transport transport, transport::TlsSettings tls, DoqScript doq = {},
                  HttpScript http = dns_response,
                  transport::RetryPolicy retry = transport::RetryPolicy::kNever)
      : context_(std::move(tls)) {
    if (transport == Transport::kDot) {
      tcp_.emplace([this] { return make_dot_conversation(context_, framed_answer); });
    } else if (transport == Transport::kDoh2) {
      tcp_.emplace([this, http] { return make_doh2_conversation(context_, http); });
    } else {
      if (!doq) doq = [](ByteSpan query) { return DoqReply{.bytes = framed_answer(query)}; };
      quic_.emplace(context_, transport::QuicListenerSettings{.connection = {}, .retry = retry},
                    [transport, doq, http] {
                      return transport == Transport::kDoq ? make_doq_session(doq)
                                                          : make_doh3_session(http);
                    });
    }
  }
  const SocketAddress& address() const { return tcp_ ? tcp_->address() : quic_->address(); }

 private:
  transport::TlsContext context_;
  std::optional<TcpServer> tcp_;
  std::optional<QuicServer> quic_;
};

std::string name_of(const testing::TestParamInfo<Transport>& info) {
  return std::string(to_string(info.param));
}

class EncryptedQuery : public QueryFixture, public testing::WithParamInterface<Transport> {};

INSTANTIATE_TEST_SUITE_P(Transports, EncryptedQuery,
                         testing::Values(Transport::kDot, Transport::kDoh2, Transport::kDoh3,
                                         Transport::kDoq),
                         name_of);

TEST_P(EncryptedQuery, IsAnswered) {
  const EncryptedServer server(GetParam(), server_settings(GetParam()));
  const auto record = runner_.run(spec_for(GetParam(), server.address()),
                                  {.id = "x:1", .cell = "x", .block = 1, .index = 2, .seed = 3});
  expect_answered(record);
  EXPECT_EQ(record.phases.connect.has_value(), !runs_over_quic(GetParam()));
  EXPECT_TRUE(record.phases.handshake);
  EXPECT_EQ(record.group, "X25519MLKEM768");
  ASSERT_TRUE(record.tls);
  EXPECT_EQ(record.tls->version, "TLSv1.3");
  EXPECT_NE(record.tls->alpn, "");
  EXPECT_EQ(record.http_status.has_value(), runs_over_http(GetParam()));
  EXPECT_EQ(record.retries, 0U);
  EXPECT_EQ(record.id, "x:1");
  EXPECT_EQ(record.settings.padding, "rfc8467");
  EXPECT_EQ(record.settings.initial_rtt.has_value(), runs_over_quic(GetParam()));
}

TEST_P(EncryptedQuery, LeavesItsKeysInTheRecord) {
  const EncryptedServer server(GetParam(), server_settings(GetParam()));
  for (int repetition = 0; repetition < 2; ++repetition) {
    const auto record = runner_.run(spec_for(GetParam(), server.address()));
    EXPECT_THAT(record.keylog, HasSubstr("CLIENT_HANDSHAKE_TRAFFIC_SECRET "));
    EXPECT_THAT(record.keylog, HasSubstr("SERVER_TRAFFIC_SECRET_0 "));
    // One connection's: each of its lines once.
    const auto first = record.keylog.find("CLIENT_HANDSHAKE_TRAFFIC_SECRET ");
    EXPECT_EQ(record.keylog.find("CLIENT_HANDSHAKE_TRAFFIC_SECRET ", first + 1), std::string::npos);
  }
}

TEST_P(EncryptedQuery, OffersTheGroupsThatItIsTold) {
  const EncryptedServer server(GetParam(), server_settings(GetParam()));
  QuerySpec spec = spec_for(GetParam(), server.address());
  spec.groups = {"X25519"};
  const auto record = runner_.run(spec);
  expect_answered(record);
  EXPECT_EQ(record.group, "X25519");
  spec.groups = {"no-such-group"};
  EXPECT_THROW(runner_.run(spec), base::LabError);
}

TEST_P(EncryptedQuery, FailsWithoutACommonGroup) {
  transport::TlsSettings tls = server_settings(GetParam());
  tls.groups = {"X25519"};
  const EncryptedServer server(GetParam(), tls);
  QuerySpec spec = spec_for(GetParam(), server.address());
  spec.groups = {"P-256"};
  const auto record = runner_.run(spec);
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_NE(record.error.value_or(""), "");
  EXPECT_FALSE(record.phases.handshake);
}

TEST_P(EncryptedQuery, ChecksTheCertificateWhenAsked) {
  const EncryptedServer server(GetParam(), server_settings(GetParam()));
  QuerySpec spec = spec_for(GetParam(), server.address());
  spec.trust = Trust::kSystem;
  const auto record = runner_.run(spec);
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_THAT(record.error.value_or(""), HasSubstr("certificate"));
}

TEST_P(EncryptedQuery, GivesUpAtItsTimeout) {
  // Takes everything and says nothing.
  const UdpServer udp([](ByteSpan) { return Datagrams(); });
  class Silence final : public Conversation {
    std::optional<Bytes> receive(ByteSpan) override { return Bytes(); }
  };
  const TcpServer tcp([] { return std::make_unique<Silence>(); });
  QuerySpec spec = spec_for(GetParam(), runs_over_quic(GetParam()) ? udp.address() : tcp.address());
  spec.timeout = milliseconds(300);
  const auto record = runner_.run(spec);
  EXPECT_EQ(record.outcome, Outcome::kNoAnswer);
  EXPECT_FALSE(record.error) << *record.error;
  EXPECT_FALSE(record.time);
  EXPECT_FALSE(record.phases.handshake);
}

TEST_P(EncryptedQuery, FailsWhereNobodyListens) {
  std::optional<EncryptedServer> server(std::in_place, GetParam(), server_settings(GetParam()));
  const SocketAddress closed = server->address();
  server.reset();
  const auto record = runner_.run(spec_for(GetParam(), closed));
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_THAT(record.error.value_or(""), HasSubstr("Connection refused"));
}

class DohQuery : public QueryFixture, public testing::WithParamInterface<Transport> {};

INSTANTIATE_TEST_SUITE_P(Transports, DohQuery, testing::Values(Transport::kDoh2, Transport::kDoh3),
                         name_of);

TEST_P(DohQuery, UsesTheMethodAndPathThatItIsTold) {
  std::vector<transport::HttpRequest> requests;
  {
    const EncryptedServer server(GetParam(), server_settings(GetParam()), {},
                                 [&](const transport::HttpRequest& request) {
                                   requests.push_back(request);
                                   return dns_response(request);
                                 });
    QuerySpec spec = spec_for(GetParam(), server.address());
    expect_answered(runner_.run(spec));
    spec.method = HttpMethod::kPost;
    spec.path = "/other";
    expect_answered(runner_.run(spec));
    EXPECT_EQ(requests.at(0).authority,
              "dns.lab.test:" + std::to_string(port_of(server.address())));
  }
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].method, "GET");
  EXPECT_EQ(requests[0].path, "/dns-query");
  EXPECT_EQ(requests[1].method, "POST");
  EXPECT_EQ(requests[1].path, "/other");
  EXPECT_EQ(requests[1].body.size(), 128U);
}

TEST_P(DohQuery, ReportsTheServersStatus) {
  const EncryptedServer server(
      GetParam(), server_settings(GetParam()), {}, [](const transport::HttpRequest&) {
        return transport::HttpResponse{
            .status = 404, .content_type = "text/plain", .cache_control = "", .body = {'n', 'o'}};
      });
  const auto record = runner_.run(spec_for(GetParam(), server.address()));
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_EQ(record.error, "HTTP status 404");
  EXPECT_EQ(record.http_status, 404);
}

TEST_P(DohQuery, RefusesAnotherContentType) {
  const EncryptedServer server(GetParam(), server_settings(GetParam()), {},
                               [](const transport::HttpRequest& request) {
                                 auto response = dns_response(request);
                                 response.content_type = "text/html";
                                 return response;
                               });
  const auto record = runner_.run(spec_for(GetParam(), server.address()));
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_THAT(record.error.value_or(""), HasSubstr("text/html"));
  EXPECT_EQ(record.http_status, 200);
}

class QuicQuery : public QueryFixture, public testing::WithParamInterface<Transport> {};

INSTANTIATE_TEST_SUITE_P(Transports, QuicQuery, testing::Values(Transport::kDoq, Transport::kDoh3),
                         name_of);

TEST_P(QuicQuery, CountsARetry) {
  const EncryptedServer server(GetParam(), server_settings(GetParam()), {}, dns_response,
                               transport::RetryPolicy::kAlways);
  const auto record = runner_.run(spec_for(GetParam(), server.address()));
  expect_answered(record);
  EXPECT_EQ(record.retries, 1U);
}

struct DoqBreach {
  std::string name;
  std::string complaint;
  DoqScript script;
};

class DoqQuery : public QueryFixture, public testing::WithParamInterface<DoqBreach> {};

TEST_P(DoqQuery, InsistsOnTheProtocol) {
  const EncryptedServer server(Transport::kDoq, server_settings(Transport::kDoq),
                               GetParam().script);
  QuerySpec spec = spec_for(Transport::kDoq, server.address());
  if (GetParam().name == "no_fin") spec.timeout = std::chrono::seconds(2);
  const auto record = runner_.run(spec);
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_THAT(record.error.value_or(""), HasSubstr(GetParam().complaint));
  EXPECT_TRUE(record.phases.sent);
}

Bytes twice(const Bytes& bytes) {
  Bytes both = bytes;
  transport::append(both, bytes);
  return both;
}

INSTANTIATE_TEST_SUITE_P(
    Breaches, DoqQuery,
    testing::Values(
        DoqBreach{"id", "answer has ID 7",
                  [](ByteSpan query) {
                    return DoqReply{.bytes = transport::frame_message(answer_to(
                                        query, [](DnsMessage& answer) { answer.id = 7; }))};
                  }},
        DoqBreach{
            "no_fin", "stream was not ended",
            [](ByteSpan query) { return DoqReply{.bytes = framed_answer(query), .fin = false}; }},
        DoqBreach{"two_answers", "bytes follow the answer",
                  [](ByteSpan query) { return DoqReply{.bytes = twice(framed_answer(query))}; }},
        DoqBreach{"no_prefix", "ended inside the answer",
                  [](ByteSpan query) {
                    Bytes framed = framed_answer(query);
                    framed.pop_back();
                    return DoqReply{.bytes = framed};
                  }},
        DoqBreach{"nothing", "ended inside the answer", [](ByteSpan) { return DoqReply{}; }},
        DoqBreach{"reset", "reset the stream with code 0x5",
                  [](ByteSpan) { return DoqReply{.reset = 5}; }}),
    [](const testing::TestParamInfo<DoqBreach>& breach) { return breach.param.name; });

}  // namespace
}  // namespace clients
