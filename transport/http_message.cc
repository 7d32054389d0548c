#include "transport/http_message.hh"

#include "base/errors.hh"
#include "transport/base64url.hh"
#include "transport/http_fields.hh"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace transport {

bool is_dns_media_type(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  while (content_type.ends_with(' ') || content_type.ends_with('\t')) content_type.remove_suffix(1);
  return std::ranges::equal(content_type, kDnsMediaType, [](char left, char right) {
    return std::tolower(static_cast<unsigned char>(left)) == right;
  });
}

HttpRequest make_doh_request(std::string_view method, std::string_view authority,
                             std::string_view path, ByteSpan query) {
  LABRUN_ASSERT(method == "GET" || method == "POST");
  HttpRequest request;
  request.method = method;
  request.authority = authority;
  request.path = path;
  request.accept = kDnsMediaType;
  if (method == "GET") {
    request.query = "dns=" + base64url_encode(query);
  } else {
    request.content_type = kDnsMediaType;
    request.body.assign(query.begin(), query.end());
  }
  return request;
}

std::vector<HttpField> request_fields(const HttpRequest& request) {
  std::vector<HttpField> fields = {
      {":method", request.method},
      {":scheme", "https"},
      {":authority", request.authority},
      {":path", request.query.empty() ? request.path : request.path + '?' + request.query},
  };
  if (!request.accept.empty()) fields.push_back({"accept", request.accept});
  if (!request.content_type.empty()) fields.push_back({"content-type", request.content_type});
  // RFC 9110 section 8.6 asks for it; some servers refuse a POST without.
  if (!request.body.empty()) {
    fields.push_back({"content-length", std::to_string(request.body.size())});
  }
  return fields;
}

std::vector<HttpField> response_fields(const HttpResponse& response) {
  std::vector<HttpField> fields = {{":status", std::to_string(response.status)}};
  if (!response.content_type.empty()) fields.push_back({"content-type", response.content_type});
  fields.push_back({"content-length", std::to_string(response.body.size())});
  if (!response.cache_control.empty()) fields.push_back({"cache-control", response.cache_control});
  return fields;
}

void HttpAssembly::begin_fields() {
  ++sections_;
  const bool after_informational = response_.status >= 100 && response_.status < 200;
  if (after_informational) response_ = {};
}

bool HttpAssembly::add_field(std::string_view name, std::string_view value) {
  field_bytes_ += name.size() + value.size();
  if (field_bytes_ > kMaxHttpHeaders) return false;
  // Fields that DNS over HTTPS gives no meaning to are not kept.
  if (name == ":status") {
    std::from_chars(value.data(), value.data() + value.size(), response_.status);
  } else if (name == ":method") {
    request_.method = value;
  } else if (name == ":authority") {
    request_.authority = value;
  } else if (name == ":path") {
    const std::size_t mark = value.find('?');
    request_.path = value.substr(0, mark);
    if (mark != std::string_view::npos) request_.query = value.substr(mark + 1);
  } else if (name == "content-type") {
    (receiver_ == Role::kClient ? response_.content_type : request_.content_type) = value;
  } else if (name == "accept") {
    request_.accept = value;
  } else if (name == "cache-control") {
    response_.cache_control = value;
  }
  return true;
}

// An honest length could be refused early, but a peer may lie about it: what counts is what came.
bool HttpAssembly::add_body(ByteSpan bytes) {
  Bytes& body = receiver_ == Role::kClient ? response_.body : request_.body;
  if (bytes.size() > kMaxHttpBody - body.size()) return false;
  append(body, bytes);
  return true;
}

}  // namespace transport
