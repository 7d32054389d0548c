#pragma once

// DNS over HTTP/3 on one QUIC connection.

#include "endpoints/line_writer.hh"
#include "endpoints/responder.hh"
#include "transport/http3_session.hh"
#include "transport/quic_listener.hh"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace endpoints {

class Doh3Session final : public transport::QuicSession, private transport::HttpServerEvents {
 public:
  // `responder` must outlive the session. `log` gets why a connection went wrong.
  Doh3Session(const Responder& responder, std::string_view path, LogSink log)
      : responder_(responder), path_(path), log_(std::move(log)) {}

  void attach(transport::QuicConnection& connection) override;
  void on_handshake_completed() override { http_->on_handshake_completed(); }
  void on_stream_data(transport::StreamId stream, transport::ByteSpan bytes, bool fin) override {
    http_->on_stream_data(stream, bytes, fin);
  }
  void on_stream_reset(transport::StreamId stream, std::uint64_t code) override {
    http_->on_stream_reset(stream, code);
  }
  void on_stop_sending(transport::StreamId stream, std::uint64_t code) override {
    http_->on_stop_sending(stream, code);
  }
  void on_stream_closed(transport::StreamId stream) override { http_->on_stream_closed(stream); }
  void on_streams_available() override { http_->on_streams_available(); }
  void on_closed(const transport::QuicClose& close) override;

 private:
  void on_request(transport::HttpStreamId stream, const transport::HttpRequest& request) override;

  const Responder& responder_;
  std::string path_;
  LogSink log_;
  std::unique_ptr<transport::Http3Session> http_;
};

}  // namespace endpoints
