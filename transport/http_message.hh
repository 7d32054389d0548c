#pragma once

// Requests and responses as DNS over HTTPS needs them (RFC 8484), the same for HTTP/2 and HTTP/3.

#include "transport/bytes.hh"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace transport {

inline constexpr std::string_view kDnsMediaType = "application/dns-message";
// Whether a Content-Type is that, whatever its case and parameters.
bool is_dns_media_type(std::string_view content_type);
// A DNS message fits; a longer body fails its stream.
inline constexpr std::size_t kMaxHttpBody = 65535;
// All names and values of one header section together.
inline constexpr std::size_t kMaxHttpHeaders = 131072;

struct HttpRequest {
  std::string method;     // "GET", "POST"
  std::string authority;  // "dns.lab.test"
  std::string path;       // without the query: "/dns-query"
  std::string query;      // behind the '?', which is not part of it: "dns=AAAB..."
  std::string content_type;
  std::string accept;
  Bytes body;
};

struct HttpResponse {
  int status = 0;
  std::string content_type;
  std::string cache_control;
  Bytes body;
};

// The request for one query (RFC 8484 section 4.1). `method` is "GET" or "POST".
HttpRequest make_doh_request(std::string_view method, std::string_view authority,
                             std::string_view path, ByteSpan query);

using HttpStreamId = std::int64_t;

// Client's side of a session. Called from within receive() and the like; may submit further
// requests, must not destroy the session.
class HttpClientEvents {
 public:
  virtual ~HttpClientEvents() = default;
  // First of the response's fields is here.
  virtual void on_response_started(HttpStreamId /*stream*/) {}
  virtual void on_response(HttpStreamId stream, const HttpResponse& response) = 0;
  // No response will come: reset by the peer, too long a body, malformed, GOAWAY before it was
  // processed.
  virtual void on_request_failed(HttpStreamId stream, std::string_view reason) = 0;
};

// Server's side. The answer may be given during the call or later.
class HttpServerEvents {
 public:
  virtual ~HttpServerEvents() = default;
  virtual void on_request(HttpStreamId stream, const HttpRequest& request) = 0;
};

}  // namespace transport
