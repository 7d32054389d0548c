#include "endpoints/doq_session.hh"

#include "base/clock.hh"
#include "endpoints/bound_socket.hh"
#include "endpoints/certificate_chain.hh"
#include "transport/dns_framing.hh"
#include "transport/dns_text.hh"
#include "transport/quic_connection.hh"
#include "transport/tls_context.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace endpoints {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using transport::Bytes;
using transport::ByteSpan;
using transport::StreamId;

struct StreamEnd {
  Bytes bytes;
  bool fin = false;
};

// What the client sees.
class ClientEvents final : public transport::QuicEvents {
 public:
  void on_stream_data(StreamId stream, ByteSpan bytes, bool fin) override {
    transport::append(streams[stream].bytes, bytes);
    streams[stream].fin = fin;
  }
  void on_stream_reset(StreamId /*stream*/, std::uint64_t code) override { reset = code; }
  void on_closed(const transport::QuicClose& close) override { closed = close; }

  std::map<StreamId, StreamEnd> streams;
  std::optional<std::uint64_t> reset;
  std::optional<transport::QuicClose> closed;
};

const CertificateChain& lab_chain() {
  static const CertificateChain chain = make_chain({.chain_bytes = 2000});
  return chain;
}

transport::TlsSettings server_settings() {
  transport::TlsSettings settings;
  settings.role = transport::Role::kServer;
  settings.carrier = transport::TlsCarrier::kQuic;
  settings.alpn = {"doq"};
  settings.certificate_chain_pem = lab_chain().certificates_pem;
  settings.private_key_pem = lab_chain().private_key_pem;
  return settings;
}

transport::TlsSettings client_settings() {
  transport::TlsSettings settings;
  settings.carrier = transport::TlsCarrier::kQuic;
  settings.alpn = {"doq"};
  settings.verification = transport::Verification::kAnchors;
  settings.trust_anchors_pem = lab_chain().anchor_pem;
  return settings;
}

// A client and a listener that hand each other their datagrams at once.
class DoqSessionTest : public testing::Test {
 protected:
  DoqSessionTest() {
    client_ = transport::QuicConnection::connect(client_context_, {}, "dns.lab.test", path_,
                                                 clock_.now(), events_);
    exchange();
    EXPECT_TRUE(client_->handshake_completed());
  }

  void exchange() {
    for (bool busy = true; busy;) {
      std::vector<Bytes> from_client;
      std::vector<Bytes> from_server;
      client_->flush(clock_.now(), [&](const auto&, ByteSpan datagram) {
        from_client.emplace_back(datagram.begin(), datagram.end());
      });
      for (const Bytes& datagram : from_client)
        listener_.receive({.local = path_.remote, .remote = path_.local}, datagram, clock_.now());
      listener_.flush(clock_.now(), [&](const auto&, ByteSpan datagram) {
        from_server.emplace_back(datagram.begin(), datagram.end());
      });
      for (const Bytes& datagram : from_server) client_->receive(path_, datagram, clock_.now());
      busy = !from_client.empty() || !from_server.empty();
    }
  }

  StreamId send(ByteSpan bytes, bool fin = true) {
    const StreamId stream = client_->open_bidi_stream().value();
    client_->write(stream, bytes, fin);
    exchange();
    return stream;
  }

  static transport::DnsMessage query(std::uint16_t id = 0) {
    return transport::make_query(id, transport::parse_question("a.lab.test A").value());
  }
  static Bytes framed(const transport::DnsMessage& message) {
    return transport::frame_message(transport::encode_dns_message(message));
  }

  // The server closed the connection because of us.
  void expect_protocol_error(const std::string& reason) {
    ASSERT_TRUE(events_.closed.has_value());
    EXPECT_TRUE(events_.closed->by_peer);
    EXPECT_EQ(events_.closed->cause, transport::QuicClose::Cause::kApplication);
    EXPECT_EQ(events_.closed->code, std::to_underlying(DoqError::kProtocolError));
    EXPECT_THAT(log_, ElementsAre(HasSubstr(reason)));
    EXPECT_TRUE(events_.streams.empty());
  }

  base::FakeClock clock_;
  const transport::UdpPath path_{.local = socket_address("192.0.2.1", 40'000),
                                 .remote = socket_address("192.0.2.53", 853)};
  transport::TlsContext server_context_{server_settings()};
  transport::TlsContext client_context_{client_settings()};
  Responder responder_{Zone({transport::parse_record("a.lab.test 60 A 192.0.2.1").value()}), {}};
  std::vector<std::string> log_;
  transport::QuicListener listener_{
      server_context_, {}, [this] {
        return std::make_unique<DoqSession>(
            responder_, [this](std::string_view line) { log_.emplace_back(line); });
      }};
  ClientEvents events_;
  std::unique_ptr<transport::QuicConnection> client_;
};

TEST_F(DoqSessionTest, AnswersEachStreamAndEndsIt) {
  for (int turn = 0; turn < 3; ++turn) {
    const StreamEnd& end = events_.streams[send(framed(query()))];
    EXPECT_TRUE(end.fin);
    transport::MessageDeframer deframer;
    deframer.receive(end.bytes);
    const auto answer = transport::parse_dns_message(deframer.next().value()).value();
    EXPECT_EQ(answer.id, 0);
    EXPECT_EQ(answer.answers.size(), 1U);
    EXPECT_EQ(deframer.pending(), 0U);
  }
  client_->close(std::to_underlying(DoqError::kNoError), "");
  exchange();
  EXPECT_THAT(log_, testing::IsEmpty());
}

TEST_F(DoqSessionTest, AnswersWhenTheQueryIsCompleteAndEnded) {
  const Bytes whole = framed(query());
  const StreamId stream = send(ByteSpan(whole).first(1), false);
  client_->write(stream, ByteSpan(whole).subspan(1), false);
  exchange();
  EXPECT_TRUE(events_.streams.empty());
  client_->write(stream, {}, true);
  exchange();
  EXPECT_TRUE(events_.streams[stream].fin);
}

TEST_F(DoqSessionTest, AnswersFormerrToAQueryThatCannotBeRead) {
  transport::Bytes broken = transport::encode_dns_message(query());
  broken.pop_back();
  const StreamEnd& end = events_.streams[send(transport::frame_message(broken))];
  EXPECT_EQ(transport::parse_dns_message(ByteSpan(end.bytes).subspan(2)).value().rcode,
            transport::Rcode::kFormErr);
}

TEST_F(DoqSessionTest, ResetsAStreamThatTheClientGaveUp) {
  const StreamId stream = send(Bytes{0, 60, 0, 0}, false);
  client_->reset_stream(stream, std::to_underlying(DoqError::kRequestCancelled));
  exchange();
  EXPECT_EQ(events_.reset, std::to_underlying(DoqError::kRequestCancelled));
  EXPECT_TRUE(events_.streams[send(framed(query()))].fin);
}

TEST_F(DoqSessionTest, ClosesOnAMessageIdOtherThanZero) {
  send(framed(query(7)));
  expect_protocol_error("message ID");
}

TEST_F(DoqSessionTest, ClosesOnTcpKeepalive) {
  transport::DnsMessage message = query();
  message.edns->options.push_back({.code = transport::kOptionTcpKeepalive, .data = {}});
  send(framed(message));
  expect_protocol_error("edns-tcp-keepalive");
}

TEST_F(DoqSessionTest, ClosesOnMoreThanOneQuery) {
  Bytes twice = framed(query());
  transport::append(twice, framed(query()));
  send(twice, false);
  expect_protocol_error("more than one");
}

TEST_F(DoqSessionTest, ClosesOnAFinWithinAQuery) {
  const Bytes whole = framed(query());
  send(ByteSpan(whole).first(whole.size() - 1));
  expect_protocol_error("ended in its query");
}

TEST_F(DoqSessionTest, ClosesOnAnEmptyQuery) {
  send(Bytes{0, 0});
  expect_protocol_error("ended in its query");
}

TEST_F(DoqSessionTest, ClosesOnAResponse) {
  transport::DnsMessage message = query();
  message.response = true;
  send(framed(message));
  expect_protocol_error("no query");
}

TEST_F(DoqSessionTest, ClosesOnAUnidirectionalStream) {
  client_->write(client_->open_uni_stream().value(), framed(query()), true);
  exchange();
  expect_protocol_error("bidirectional");
}

}  // namespace
}  // namespace endpoints
