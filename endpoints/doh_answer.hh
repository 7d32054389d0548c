#pragma once

// DNS over HTTPS (RFC 8484), the same for HTTP/2 and HTTP/3: one request in, one response out.

#include "endpoints/responder.hh"
#include "transport/http_message.hh"

#include <string_view>

namespace endpoints {

// Errors of HTTP are statuses (400, 404, 405, 413, 415); those of DNS are answers with status 200
// (section 4.2.1).
transport::HttpResponse answer_http(const transport::HttpRequest& request, std::string_view path,
                                    const Responder& responder);

}  // namespace endpoints
