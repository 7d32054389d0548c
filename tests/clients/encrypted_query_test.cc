#include "base/errors.hh"
#include "tests/clients/encrypted_server.hh"
#include "tests/clients/query_fixture.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clients {
namespace {

using captures::Outcome;
using std::chrono::milliseconds;
using testing::HasSubstr;
using transport::Bytes;
using transport::ByteSpan;

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

TEST_P(EncryptedQuery, SurvivesGarbage) {
  const Bytes garbage(600, 0x47);
  const UdpServer udp([&](ByteSpan) { return Datagrams{garbage, Bytes{0xc0}, Bytes()}; });
  class Noise final : public Conversation {
    std::optional<Bytes> receive(ByteSpan) override { return Bytes(600, 0x47); }
  };
  const TcpServer tcp([] { return std::make_unique<Noise>(); });
  QuerySpec spec = spec_for(GetParam(), runs_over_quic(GetParam()) ? udp.address() : tcp.address());
  if (runs_over_quic(GetParam())) {
    // Anybody can send datagrams: QUIC does not let them end a handshake (RFC 9000, section 21.2).
    spec.timeout = milliseconds(300);
    EXPECT_EQ(runner_.run(spec).outcome, Outcome::kNoAnswer);
  } else {
    const auto record = runner_.run(spec);
    EXPECT_EQ(record.outcome, Outcome::kFailed);
    EXPECT_THAT(record.error.value_or(""), HasSubstr("TLS"));
  }
}

class StreamQuery : public QueryFixture {};

TEST_F(StreamQuery, NeedsAlpnForHttp2Only) {
  transport::TlsSettings tls = server_settings(Transport::kDot);
  tls.alpn.clear();
  const EncryptedServer dot(Transport::kDot, tls);
  const auto over_dot = runner_.run(spec_for(Transport::kDot, dot.address()));
  expect_answered(over_dot);
  EXPECT_EQ(over_dot.tls->alpn, "");
  const EncryptedServer doh(Transport::kDoh2, tls);
  const auto over_doh = runner_.run(spec_for(Transport::kDoh2, doh.address()));
  EXPECT_EQ(over_doh.outcome, Outcome::kFailed);
  EXPECT_THAT(over_doh.error.value_or(""), HasSubstr("does not speak HTTP/2"));
  EXPECT_TRUE(over_doh.phases.handshake);
}

}  // namespace
}  // namespace clients
