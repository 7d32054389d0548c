#include "clients/doh_response.hh"

#include <format>

namespace clients {

std::string authority_of(const QuerySpec& spec) {
  const bool is_ipv6 = spec.server_name.find(':') != std::string::npos;
  std::string authority = is_ipv6 ? std::format("[{}]", spec.server_name) : spec.server_name;
  const std::uint16_t port = port_of(spec.server);
  if (port != default_port(spec.transport)) authority += std::format(":{}", port);
  return authority;
}

transport::HttpRequest make_doh_request(const QuerySpec& spec, const DnsQuery& query) {
  return transport::make_doh_request(spec.method == HttpMethod::kGet ? "GET" : "POST",
                                     authority_of(spec), spec.path, query.wire);
}

void DohResponse::on_response_started(transport::HttpStreamId /*stream*/) {
  progress_.mark(&captures::Phases::first_byte);
}

void DohResponse::on_response(transport::HttpStreamId /*stream*/,
                              const transport::HttpResponse& response) {
  if (progress_.ended()) return;
  progress_.record().http_status = static_cast<std::uint16_t>(response.status);
  if (response.status != 200) {
    progress_.fail(std::format("HTTP status {}", response.status));
  } else if (!transport::is_dns_media_type(response.content_type)) {
    progress_.fail(
        std::format("content type '{}', not {}", response.content_type, transport::kDnsMediaType));
  } else {
    settle(progress_, check_answer(query_, response.body));
  }
}

void DohResponse::on_request_failed(transport::HttpStreamId /*stream*/, std::string_view reason) {
  progress_.fail(std::format("HTTP: {}", reason));
}

}  // namespace clients
