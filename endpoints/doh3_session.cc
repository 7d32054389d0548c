#include "endpoints/doh3_session.hh"

#include "endpoints/doh_answer.hh"
#include "endpoints/quic_problem.hh"

namespace endpoints {

void Doh3Session::attach(transport::QuicConnection& connection) {
  http_ =
      std::make_unique<transport::Http3Session>(connection, static_cast<HttpServerEvents&>(*this));
}

void Doh3Session::on_closed(const transport::QuicClose& close) {
  if (const auto problem = quic_problem(close, transport::kHttp3NoError)) log_(*problem);
}

void Doh3Session::on_request(transport::HttpStreamId stream,
                             const transport::HttpRequest& request) {
  http_->respond(stream, answer_http(request, path_, responder_));
}

}  // namespace endpoints
