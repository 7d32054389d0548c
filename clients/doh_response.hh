#pragma once

// What a DoH server's response says, the same for HTTP/2 and HTTP/3 (RFC 8484, section 4.2).

#include "clients/dns_query.hh"
#include "clients/query_progress.hh"
#include "clients/query_spec.hh"
#include "transport/http_message.hh"

#include <string>
#include <string_view>

namespace clients {

// Server's name as an HTTP authority: brackets around an IPv6 address, the port where it is not
// 443.
std::string authority_of(const QuerySpec& spec);

transport::HttpRequest make_doh_request(const QuerySpec& spec, const DnsQuery& query);

// Turns the response to the one request of a session into the query's end. `query` and `progress`
// outlive it.
class DohResponse final : public transport::HttpClientEvents {
 public:
  DohResponse(const DnsQuery& query, QueryProgress& progress)
      : query_(query), progress_(progress) {}

  void on_response_started(transport::HttpStreamId stream) override;
  void on_response(transport::HttpStreamId stream,
                   const transport::HttpResponse& response) override;
  void on_request_failed(transport::HttpStreamId stream, std::string_view reason) override;

 private:
  const DnsQuery& query_;
  QueryProgress& progress_;
};

}  // namespace clients
