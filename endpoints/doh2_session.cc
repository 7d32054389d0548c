#include "endpoints/doh2_session.hh"

#include "endpoints/doh_answer.hh"

namespace endpoints {

void Doh2Session::on_request(transport::HttpStreamId stream,
                             const transport::HttpRequest& request) {
  http_.respond(stream, answer_http(request, path_, responder_));
}

}  // namespace endpoints
