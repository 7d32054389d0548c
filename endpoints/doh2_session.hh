#pragma once

// DNS over HTTP/2 on one TLS connection.

#include "endpoints/responder.hh"
#include "endpoints/stream_session.hh"
#include "transport/http2_session.hh"

#include <string>
#include <string_view>

namespace endpoints {

class Doh2Session final : public StreamSession, private transport::HttpServerEvents {
 public:
  // `responder` must outlive the session.
  Doh2Session(const Responder& responder, std::string_view path)
      : responder_(responder), path_(path), http_(static_cast<HttpServerEvents&>(*this)) {}

  void receive(transport::ByteSpan bytes) override { http_.receive(bytes); }
  transport::Bytes take_output() override { return http_.take_output(); }
  bool finished() const override { return http_.failure() || http_.finished(); }

 private:
  void on_request(transport::HttpStreamId stream, const transport::HttpRequest& request) override;

  const Responder& responder_;
  std::string path_;
  transport::Http2Session http_;
};

}  // namespace endpoints
