#include "analysis/doh_carriage.hh"

#include "transport/base64url.hh"

#include <algorithm>
#include <format>
#include <ranges>
#include <string_view>
#include <utility>

namespace analysis {
namespace {

using transport::HttpRequest;
using transport::HttpResponse;

bool is_dns(End from, const transport::HttpAssembly& http) {
  return transport::is_dns_media_type(from == End::kClient ? http.request().content_type
                                                           : http.response().content_type);
}

// Value of the parameter that a GET carries its query in (RFC 8484 section 6).
std::optional<std::string_view> dns_parameter(std::string_view query) {
  constexpr std::string_view kName = "dns=";
  for (const auto part : std::views::split(query, '&')) {
    const std::string_view parameter(part);
    if (parameter.starts_with(kName)) return parameter.substr(kName.size());
  }
  return std::nullopt;
}

// What HTTP has methods of (RFC 9110 section 16.1); anything else might not even be text.
bool is_method(std::string_view text) {
  constexpr std::size_t kLongest = 32;
  return text.size() <= kLongest &&
         std::ranges::all_of(text, [](char letter) { return letter >= 'A' && letter <= 'Z'; });
}

void set_wire(CarriedMessage& message, transport::Bytes wire) {
  message.message = transport::parse_dns_message(wire);
  message.wire = std::move(wire);
}

bool is_informational(const HttpResponse& response) {
  return response.status >= 100 && response.status < 200;
}

// nullopt where the request is no DNS query; without what the stream tells of it.
std::optional<CarriedMessage> query_of(const HttpRequest& request) {
  CarriedMessage message;
  if (is_method(request.method)) message.http_method = request.method;
  if (transport::is_dns_media_type(request.content_type)) {
    set_wire(message, request.body);
    return message;
  }
  const auto parameter = dns_parameter(request.query);
  if (!parameter) return std::nullopt;
  auto wire = transport::base64url_decode(*parameter);
  if (wire) {
    set_wire(message, std::move(*wire));
  } else {
    message.message = std::unexpected("the dns parameter of the path is not base64url");
  }
  return message;
}

// nullopt where the response is neither DNS nor to a DNS query that was `asked`.
std::optional<CarriedMessage> answer_of(const HttpResponse& response, bool asked) {
  CarriedMessage message;
  if (response.status != 0) message.http_status = response.status;
  if (transport::is_dns_media_type(response.content_type)) {
    set_wire(message, response.body);
    return message;
  }
  if (!asked) return std::nullopt;
  message.message = std::unexpected(std::format("HTTP status {} without a body of {}",
                                                response.status, transport::kDnsMediaType));
  return message;
}

}  // namespace

DohCarriage::Assembly& DohCarriage::open(End from, std::uint64_t stream) {
  Assemblies& streams = open_.at(std::to_underlying(from));
  const auto receiver = from == End::kClient ? transport::Role::kServer : transport::Role::kClient;
  const auto at = streams.try_emplace(stream, receiver).first;
  if (streams.size() > kMaxOpenStreams) {
    complain(std::format("{}: more than {} messages under way at once", to_string(from),
                         kMaxOpenStreams));
    streams.erase(at == streams.begin() ? std::next(at) : streams.begin());
  }
  return at->second;
}

void DohCarriage::add_fields(End from, std::uint64_t stream, const FieldList& fields,
                             ByteRange range) {
  Assembly& assembly = open(from, stream);
  // What follows an informational response is the answer; that response is no part of it.
  if (is_informational(assembly.http.response())) assembly.ranges.clear();
  add_range(assembly.ranges, range);
  assembly.http.begin_fields();
  bool fits = !fields.too_long();
  for (const auto& [name, value] : fields.fields()) {
    fits = fits && assembly.http.add_field(name, value);
  }
  if (!fits) give_up(from, stream, "header fields are too long");
}

void DohCarriage::add_body(End from, std::uint64_t stream, transport::ByteSpan bytes,
                           ByteRange range) {
  Assemblies& streams = open_.at(std::to_underlying(from));
  const auto found = streams.find(stream);
  if (found == streams.end()) return;
  Assembly& assembly = found->second;
  add_range(assembly.ranges, range);
  if (!is_dns(from, assembly.http) || assembly.http.add_body(bytes)) return;
  give_up(from, stream, "body is longer than a DNS message");
}

void DohCarriage::skip_body(End from, std::uint64_t stream, ByteRange range) {
  Assemblies& streams = open_.at(std::to_underlying(from));
  const auto found = streams.find(stream);
  if (found == streams.end()) return;
  add_range(found->second.ranges, range);
  if (is_dns(from, found->second.http)) give_up(from, stream, "body is longer than a DNS message");
}

void DohCarriage::end_message(End from, std::uint64_t stream) {
  auto node = open_.at(std::to_underlying(from)).extract(stream);
  if (node.empty()) return;
  const bool asked = from == End::kServer && asked_.erase(stream) > 0;
  const transport::HttpAssembly& http = node.mapped().http;
  auto message =
      from == End::kClient ? query_of(http.request()) : answer_of(http.response(), asked);
  if (!message) return;
  message->from = from;
  message->stream = stream;
  message->ranges = std::move(node.mapped().ranges);
  message->needs_fin = ends_with_stream_;
  deliver(std::move(*message));
  if (from == End::kServer) return;
  asked_.insert(stream);
  if (asked_.size() > kMaxOpenStreams) asked_.erase(asked_.begin());
}

void DohCarriage::give_up(End from, std::uint64_t stream, std::string_view reason) {
  complain(std::format("{}, stream {}: {}", to_string(from), stream, reason));
  drop_message(from, stream);
}

void DohCarriage::drop_message(End from, std::uint64_t stream) {
  open_.at(std::to_underlying(from)).erase(stream);
}

}  // namespace analysis
