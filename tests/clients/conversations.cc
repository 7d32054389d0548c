#include "tests/clients/conversations.hh"

#include "base/errors.hh"
#include "transport/base64url.hh"
#include "transport/dns_framing.hh"
#include "transport/dns_text.hh"
#include "transport/http2_session.hh"
#include "transport/http3_session.hh"
#include "transport/tls_stream.hh"

#include <optional>
#include <utility>

namespace clients {
namespace {

using transport::Bytes;
using transport::ByteSpan;

class FramedConversation final : public Conversation {
 public:
  explicit FramedConversation(StreamScript script) : script_(std::move(script)) {}

  std::optional<Bytes> receive(ByteSpan bytes) override {
    deframer_.receive(bytes);
    const auto query = deframer_.next();
    return query ? script_(*query) : Bytes();
  }

 private:
  StreamScript script_;
  transport::MessageDeframer deframer_;
};

class HttpConversation final : public Conversation, private transport::HttpServerEvents {
 public:
  explicit HttpConversation(HttpScript script) : script_(std::move(script)), session_(*this) {}

  std::optional<Bytes> receive(ByteSpan bytes) override {
    session_.receive(bytes);
    return session_.take_output();
  }

 private:
  void on_request(transport::HttpStreamId stream, const transport::HttpRequest& request) override {
    session_.respond(stream, script_(request));
  }

  HttpScript script_;
  transport::Http2Session session_;
};

// Encrypts another conversation.
class TlsConversation final : public Conversation {
 public:
  TlsConversation(const transport::TlsContext& context, std::unique_ptr<Conversation> inner)
      : tls_(context, ""), inner_(std::move(inner)) {}

  std::optional<Bytes> receive(ByteSpan bytes) override {
    tls_.receive(bytes);
    const Bytes plaintext = tls_.take_plaintext();
    if (!plaintext.empty()) {
      const auto reply = inner_->receive(plaintext);
      if (!reply) return std::nullopt;
      tls_.write(*reply);
    }
    return tls_.take_output();
  }

 private:
  transport::TlsStream tls_;
  std::unique_ptr<Conversation> inner_;
};

class DoqSession final : public transport::QuicSession {
 public:
  explicit DoqSession(DoqScript script) : script_(std::move(script)) {}
  void attach(transport::QuicConnection& connection) override { connection_ = &connection; }

  void on_stream_data(transport::StreamId stream, ByteSpan bytes, bool) override {
    deframer_.receive(bytes);
    const auto query = deframer_.next();
    if (!query) return;
    const DoqReply reply = script_(*query);
    if (reply.reset)
      connection_->reset_stream(stream, *reply.reset);
    else
      connection_->write(stream, reply.bytes, reply.fin);
  }
  void on_closed(const transport::QuicClose&) override {}

 private:
  DoqScript script_;
  transport::QuicConnection* connection_ = nullptr;
  transport::MessageDeframer deframer_;
};

class Doh3Session final : public transport::QuicSession, public transport::HttpServerEvents {
 public:
  explicit Doh3Session(HttpScript script) : script_(std::move(script)) {}
  void attach(transport::QuicConnection& connection) override { http_.emplace(connection, *this); }

  void on_handshake_completed() override { http_->on_handshake_completed(); }
  void on_stream_data(transport::StreamId stream, ByteSpan bytes, bool fin) override {
    http_->on_stream_data(stream, bytes, fin);
  }
  void on_stream_closed(transport::StreamId stream) override { http_->on_stream_closed(stream); }
  void on_streams_available() override { http_->on_streams_available(); }
  void on_closed(const transport::QuicClose&) override {}

 private:
  void on_request(transport::HttpStreamId stream, const transport::HttpRequest& request) override {
    http_->respond(stream, script_(request));
  }

  HttpScript script_;
  std::optional<transport::Http3Session> http_;
};

}  // namespace

Bytes answer_to(ByteSpan query, const Spoil& spoil) {
  const auto asked = transport::parse_dns_message(query);
  LABRUN_ASSERT(asked.has_value());
  transport::DnsMessage answer = transport::make_response(*asked, transport::Rcode::kNoError);
  answer.answers.push_back(*transport::parse_record("a.lab.test 60 A 192.0.2.1"));
  if (spoil) spoil(answer);
  return transport::encode_dns_message(answer);
}

Bytes framed_answer(ByteSpan query) {
  return transport::frame_message(answer_to(query));
}

std::unique_ptr<Conversation> make_framed_conversation(StreamScript script) {
  return std::make_unique<FramedConversation>(std::move(script));
}

std::unique_ptr<Conversation> make_dot_conversation(const transport::TlsContext& context,
                                                    StreamScript script) {
  return std::make_unique<TlsConversation>(context, make_framed_conversation(std::move(script)));
}

transport::HttpResponse dns_response(const transport::HttpRequest& request) {
  const Bytes query = request.method == "GET"
                          ? transport::base64url_decode(request.query.substr(4)).value()
                          : request.body;
  return {.status = 200,
          .content_type = "application/dns-message",
          .cache_control = "",
          .body = answer_to(query)};
}

std::unique_ptr<Conversation> make_doh2_conversation(const transport::TlsContext& context,
                                                     HttpScript script) {
  return std::make_unique<TlsConversation>(context,
                                           std::make_unique<HttpConversation>(std::move(script)));
}

std::unique_ptr<transport::QuicSession> make_doh3_session(HttpScript script) {
  return std::make_unique<Doh3Session>(std::move(script));
}

std::unique_ptr<transport::QuicSession> make_doq_session(DoqScript script) {
  return std::make_unique<DoqSession>(std::move(script));
}

}  // namespace clients
