#pragma once

// Between HTTP messages and the lists of fields that HTTP/2 and HTTP/3 carry.

#include "transport/http_message.hh"
#include "transport/tls_context.hh"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transport {

struct HttpField {
  std::string name;
  std::string value;
};

// Pseudo-header fields first (RFC 9113 section 8.3), names in lower case.
std::vector<HttpField> request_fields(const HttpRequest& request);
std::vector<HttpField> response_fields(const HttpResponse& response);

// The two libraries' name-value pairs have the same members. They borrow the text: `fields` must
// outlive them.
template <typename NameValue>
std::vector<NameValue> borrow_fields(const std::vector<HttpField>& fields) {
  const auto bytes = [](const std::string& text) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  std::vector<NameValue> borrowed;
  for (const HttpField& field : fields) {
    NameValue pair{};
    pair.name = bytes(field.name);
    pair.value = bytes(field.value);
    pair.namelen = field.name.size();
    pair.valuelen = field.value.size();
    borrowed.push_back(pair);
  }
  return borrowed;
}

// Puts one incoming message together. What exceeds a limit is not kept; the stream then fails.
class HttpAssembly {
 public:
  // A client receives responses, a server requests.
  explicit HttpAssembly(Role receiver) : receiver_(receiver) {}
  // A section of fields begins; one after an informational response (1xx) replaces it, trailers add
  // nothing that DoH reads.
  void begin_fields();
  // Both return false at a limit.
  bool add_field(std::string_view name, std::string_view value);
  bool add_body(ByteSpan bytes);

  bool started() const { return sections_ > 0; }
  const HttpRequest& request() const { return request_; }
  const HttpResponse& response() const { return response_; }

 private:
  Role receiver_;
  HttpRequest request_;
  HttpResponse response_;
  std::size_t field_bytes_ = 0;
  int sections_ = 0;
};

}  // namespace transport
