#include "endpoints/doh_answer.hh"

#include "transport/base64url.hh"

#include <expected>
#include <format>
#include <optional>
#include <utility>

namespace endpoints {
namespace {

using transport::Bytes;
using transport::HttpRequest;
using transport::HttpResponse;

constexpr int kOk = 200;
constexpr int kBadRequest = 400;
constexpr int kNotFound = 404;
constexpr int kMethodNotAllowed = 405;
constexpr int kContentTooLarge = 413;
constexpr int kUnsupportedMediaType = 415;

HttpResponse failure(int status) {
  return {.status = status, .content_type = "", .cache_control = "", .body = {}};
}

// Value of "dns", the variable of section 6's template; other parameters mean nothing to us.
std::optional<std::string_view> dns_parameter(std::string_view query) {
  constexpr std::string_view kName = "dns=";
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view parameter = query.substr(0, end);
    if (parameter.starts_with(kName)) return parameter.substr(kName.size());
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return std::nullopt;
}

// The DNS query of a request, or the status that refuses it.
std::expected<Bytes, int> dns_query(const HttpRequest& request) {
  if (request.method == "POST") {
    if (request.content_type != transport::kDnsMediaType)
      return std::unexpected(kUnsupportedMediaType);
    return request.body;
  }
  if (request.method != "GET") return std::unexpected(kMethodNotAllowed);
  const auto parameter = dns_parameter(request.query);
  if (!parameter) return std::unexpected(kBadRequest);
  auto decoded = transport::base64url_decode(*parameter);
  if (!decoded) return std::unexpected(kBadRequest);
  return std::move(*decoded);
}

}  // namespace

HttpResponse answer_http(const HttpRequest& request, std::string_view path,
                         const Responder& responder) {
  if (request.path != path) return failure(kNotFound);
  const auto query = dns_query(request);
  if (!query) return failure(query.error());
  if (query->size() > transport::kMaxDnsMessage) return failure(kContentTooLarge);
  std::optional<Answer> answer = responder.answer(*query, Carrier::kEncrypted);
  if (!answer) return failure(kBadRequest);
  return {.status = kOk,
          .content_type = std::string(transport::kDnsMediaType),
          .cache_control = std::format("max-age={}", answer->lifetime),
          .body = std::move(answer->message)};
}

}  // namespace endpoints
