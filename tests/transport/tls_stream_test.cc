#include "transport/tls_stream.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "tests/transport/identity.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transport {
namespace {

using base::as_byte_span;
using testing::HasSubstr;
using testing::StartsWith;

std::string text(const Bytes& bytes) {
  return std::string(base::as_text(bytes));
}

// A client and a server whose byte streams are joined; counts what one send() after the other would
// carry.
class TlsStreamTest : public testing::Test {
 protected:
  void connect(TlsSettings server, TlsSettings client, std::string_view name = kServerName) {
    server_context_.emplace(std::move(server));
    client_context_.emplace(std::move(client));
    server_.emplace(*server_context_, "");
    client_.emplace(*client_context_, name);
  }
  void connect() {
    connect(server_tls(identity_, TlsCarrier::kStream, kAlpnDot),
            client_tls(identity_, TlsCarrier::kStream, kAlpnDot, "X25519"));
  }
  bool client_sends() { return carry(*client_, *server_); }
  bool server_sends() { return carry(*server_, *client_); }
  void exchange() {
    while (client_sends() || server_sends()) {
    }
  }

  Identity identity_ = make_identity(0);
  std::optional<TlsContext> server_context_;
  std::optional<TlsContext> client_context_;
  std::optional<TlsStream> server_;
  std::optional<TlsStream> client_;

 private:
  static bool carry(TlsStream& from, TlsStream& to) {
    const Bytes output = from.take_output();
    to.receive(output);
    return !output.empty();
  }
};

TEST_F(TlsStreamTest, FinishedAndRequestLeaveInOnePiece) {
  connect();
  client_->write(as_byte_span("question"));
  EXPECT_TRUE(client_sends());  // ClientHello
  EXPECT_TRUE(server_sends());  // ServerHello ... Finished
  EXPECT_TRUE(client_->handshake_complete());
  EXPECT_TRUE(client_sends());  // Finished and the request
  EXPECT_TRUE(server_->handshake_complete());
  EXPECT_EQ(text(server_->take_plaintext()), "question");
  // Without session tickets the server has nothing to say of its own.
  EXPECT_TRUE(server_->take_output().empty());
  server_->write(as_byte_span("answer"));
  EXPECT_TRUE(server_sends());
  EXPECT_EQ(text(client_->take_plaintext()), "answer");
  EXPECT_TRUE(client_->take_output().empty());
}

TEST_F(TlsStreamTest, FactsAreTheSameAtBothEnds) {
  for (const char* group : {"X25519", "X25519MLKEM768"}) {
    connect(server_tls(identity_, TlsCarrier::kStream, kAlpnDot),
            client_tls(identity_, TlsCarrier::kStream, kAlpnDot, group));
    exchange();
    for (TlsStream* stream : {&*client_, &*server_}) {
      const TlsFacts facts = stream->facts();
      EXPECT_EQ(facts.version, "TLSv1.3");
      EXPECT_EQ(facts.group, group);
      EXPECT_EQ(facts.alpn, "dot");
      EXPECT_THAT(facts.cipher, StartsWith("TLS_"));
      EXPECT_EQ(facts.verify_error, "");
    }
  }
}

TEST_F(TlsStreamTest, StreamMayBeCutAnywhere) {
  connect();
  client_->write(as_byte_span("question"));
  for (int round = 0; round < 3; ++round) {
    for (const std::uint8_t byte : client_->take_output()) server_->receive({&byte, 1});
    for (const std::uint8_t byte : server_->take_output()) client_->receive({&byte, 1});
  }
  EXPECT_EQ(text(server_->take_plaintext()), "question");
}

TEST_F(TlsStreamTest, LargeDataKeepsItsOrder) {
  connect();
  exchange();
  Bytes data(200'000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 7 >> 3U);
  server_->write(data);
  exchange();
  EXPECT_EQ(client_->take_plaintext(), data);
}

TEST_F(TlsStreamTest, CloseNotifyEndsTheStream) {
  connect();
  exchange();
  client_->write(as_byte_span("last"));
  client_->close();
  client_->write(as_byte_span("too late"));
  exchange();
  EXPECT_EQ(text(server_->take_plaintext()), "last");
  EXPECT_TRUE(server_->peer_closed());
  EXPECT_FALSE(client_->peer_closed());
  EXPECT_FALSE(server_->failure());
}

TEST_F(TlsStreamTest, UntrustedCertificateFailsBothEndsWithTheReason) {
  connect(server_tls(make_identity(0), TlsCarrier::kStream, kAlpnDot),
          client_tls(identity_, TlsCarrier::kStream, kAlpnDot, "X25519"));
  exchange();
  ASSERT_TRUE(client_->failure());
  EXPECT_THAT(*client_->failure(), HasSubstr("certificate verify failed"));
  EXPECT_THAT(*client_->failure(), HasSubstr("self-signed certificate"));
  ASSERT_TRUE(server_->failure());
  EXPECT_THAT(*server_->failure(), HasSubstr("alert from the peer: "));
}

TEST_F(TlsStreamTest, CertificateMustCarryTheServersName) {
  connect(server_tls(identity_, TlsCarrier::kStream, kAlpnDot),
          client_tls(identity_, TlsCarrier::kStream, kAlpnDot, "X25519"), "other.test");
  exchange();
  ASSERT_TRUE(client_->failure());
  EXPECT_THAT(*client_->failure(), HasSubstr("hostname mismatch"));
}

TEST_F(TlsStreamTest, WithoutVerificationTheErrorIsAFact) {
  TlsSettings client = client_tls(identity_, TlsCarrier::kStream, kAlpnDot, "X25519");
  client.verification = Verification::kNone;
  connect(server_tls(identity_, TlsCarrier::kStream, kAlpnDot), client);
  exchange();
  EXPECT_TRUE(client_->handshake_complete());
  EXPECT_THAT(client_->facts().verify_error, HasSubstr("self-signed"));
}

TEST_F(TlsStreamTest, ServerRefusesForeignAlpn) {
  connect(server_tls(identity_, TlsCarrier::kStream, kAlpnHttp2),
          client_tls(identity_, TlsCarrier::kStream, kAlpnDot, "X25519"));
  exchange();
  ASSERT_TRUE(client_->failure());
  EXPECT_THAT(*client_->failure(), HasSubstr("no application protocol (120)"));
}

TEST_F(TlsStreamTest, NoCommonGroupFails) {
  TlsSettings server = server_tls(identity_, TlsCarrier::kStream, kAlpnDot);
  server.groups = {"P-256"};
  connect(server, client_tls(identity_, TlsCarrier::kStream, kAlpnDot, "X25519"));
  exchange();
  EXPECT_THAT(client_->failure().value_or(""), HasSubstr("handshake failure (40)"));
}

TEST_F(TlsStreamTest, EndDuringTheHandshakeIsAFailure) {
  connect();
  client_->receive_end();
  EXPECT_THAT(client_->failure().value_or(""), HasSubstr("during the TLS handshake"));
}

TEST_F(TlsStreamTest, GarbageIsAFailureWithAnAlert) {
  connect();
  server_->take_output();
  server_->receive(as_byte_span("GET / HTTP/1.1\r\nHost: dns.lab.test\r\n\r\n"));
  EXPECT_TRUE(server_->failure());
  server_->receive(as_byte_span("more"));
}

TEST_F(TlsStreamTest, SessionTicketsAreSentOnlyWhenAskedFor) {
  TlsSettings server = server_tls(identity_, TlsCarrier::kStream, kAlpnDot);
  server.session_tickets = 2;
  connect(server, client_tls(identity_, TlsCarrier::kStream, kAlpnDot, "X25519"));
  client_sends();
  server_sends();
  client_sends();
  EXPECT_FALSE(server_->take_output().empty());
}

// Connections of a client that has a ticket of the one before.
class EarlyDataTest : public TlsStreamTest {
 protected:
  void resume(EarlyData server_does) {
    TlsSettings server = server_tls(identity_, TlsCarrier::kStream, kAlpnDot);
    server.session_tickets = 1;
    server.early_data = server_does;
    TlsSettings client = client_tls(identity_, TlsCarrier::kStream, kAlpnDot, "X25519");
    client.ticket = [this](ByteSpan encoded) { session_.assign(encoded.begin(), encoded.end()); };
    connect(server, client);
    exchange();
    ASSERT_FALSE(session_.empty());
    const Bytes session = session_;
    server_.emplace(*server_context_, "");
    client_.emplace(*client_context_, kServerName, session, TlsStream::Early::kYes);
  }

 private:
  Bytes session_;
};

TEST_F(EarlyDataTest, QuestionAndHelloLeaveInOnePieceAndSoDoTheAnswers) {
  resume(EarlyData::kAccept);
  EXPECT_TRUE(client_->early_data_offered());
  EXPECT_TRUE(client_->take_output().empty());  // waits for the question
  client_->write(as_byte_span("question"));
  EXPECT_TRUE(client_sends());
  EXPECT_EQ(text(server_->take_plaintext()), "question");
  EXPECT_FALSE(server_->handshake_complete());
  server_->write(as_byte_span("answer"));
  EXPECT_TRUE(server_sends());
  EXPECT_EQ(text(client_->take_plaintext()), "answer");
  EXPECT_TRUE(client_->handshake_complete());
  EXPECT_TRUE(client_->facts().resumed);
  EXPECT_TRUE(client_->facts().early_data_accepted);
  exchange();
  EXPECT_TRUE(server_->handshake_complete());
  EXPECT_EQ(text(server_->take_plaintext()), "");
  client_->write(as_byte_span("another"));
  exchange();
  EXPECT_EQ(text(server_->take_plaintext()), "another");
}

TEST_F(EarlyDataTest, RefusedItIsSentOnceMore) {
  resume(EarlyData::kReject);
  client_->write(as_byte_span("question"));
  EXPECT_TRUE(client_sends());
  EXPECT_EQ(text(server_->take_plaintext()), "");
  exchange();
  EXPECT_EQ(text(server_->take_plaintext()), "question");
  EXPECT_TRUE(client_->facts().resumed);
  EXPECT_FALSE(client_->facts().early_data_accepted);
}

TEST_F(EarlyDataTest, WithoutTheTicketsLeaveItWaitsForTheHandshake) {
  resume(EarlyData::kNone);
  EXPECT_FALSE(client_->early_data_offered());
  client_->write(as_byte_span("question"));
  EXPECT_TRUE(client_sends());
  EXPECT_EQ(text(server_->take_plaintext()), "");
  exchange();
  EXPECT_EQ(text(server_->take_plaintext()), "question");
  EXPECT_TRUE(client_->facts().resumed);
}

TEST_F(EarlyDataTest, WhatIsNoSessionIsRefused) {
  resume(EarlyData::kNone);
  EXPECT_THROW(client_.emplace(*client_context_, kServerName, as_byte_span("no session")),
               base::LabError);
}

TEST_F(TlsStreamTest, BothEndsLogTheSameKeys) {
  std::vector<std::string> server_lines;
  std::vector<std::string> client_lines;
  TlsSettings server = server_tls(identity_, TlsCarrier::kStream, kAlpnDot);
  TlsSettings client = client_tls(identity_, TlsCarrier::kStream, kAlpnDot, "X25519");
  server.keylog = [&](std::string_view line) { server_lines.emplace_back(line); };
  client.keylog = [&](std::string_view line) { client_lines.emplace_back(line); };
  connect(server, client);
  exchange();
  EXPECT_THAT(client_lines, testing::UnorderedElementsAreArray(server_lines));
  EXPECT_THAT(client_lines, testing::Contains(StartsWith("CLIENT_TRAFFIC_SECRET_0 ")));
}

TEST(TlsContext, RefusesSettingsThatCannotWork) {
  const Identity identity = make_identity(0);
  const auto refuses = [](const TlsSettings& settings, const char* problem) {
    try {
      const TlsContext context(settings);
      ADD_FAILURE() << "accepted; expected: " << problem;
    } catch (const base::LabError& error) {
      EXPECT_THAT(error.what(), HasSubstr(problem));
    }
  };
  TlsSettings settings = server_tls(identity, TlsCarrier::kStream, kAlpnDot);
  settings.groups = {"X25519", "X25520"};
  refuses(settings, "groups 'X25519:X25520'");
  settings = server_tls(identity, TlsCarrier::kStream, kAlpnDot);
  settings.private_key_pem = make_identity(0).private_key_pem;
  refuses(settings, "use private key");
  settings.certificate_chain_pem = "nothing";
  refuses(settings, "no certificate");
  settings = client_tls(identity, TlsCarrier::kStream, kAlpnDot, "X25519");
  settings.trust_anchors_pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  refuses(settings, "read trust anchors");
}

}  // namespace
}  // namespace transport
