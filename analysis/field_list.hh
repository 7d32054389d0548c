#pragma once

// Header fields as the decoders of HTTP/2 and HTTP/3 give them.

#include "transport/http_fields.hh"
#include "transport/http_message.hh"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {

// Keeps no more than transport::kMaxHttpHeaders, counted as in RFC 9113 section 6.5.2 with 32 bytes
// for each field: one byte of a compressed section can stand for thousands.
class FieldList {
 public:
  void add(std::string_view name, std::string_view value) {
    bytes_ += name.size() + value.size() + 32;
    if (!too_long()) fields_.push_back({std::string(name), std::string(value)});
  }
  const std::vector<transport::HttpField>& fields() const { return fields_; }
  bool too_long() const { return bytes_ > transport::kMaxHttpHeaders; }

 private:
  std::vector<transport::HttpField> fields_;
  std::size_t bytes_ = 0;
};

inline std::string_view as_text(const std::uint8_t* bytes, std::size_t length) {
  return {reinterpret_cast<const char*>(bytes), length};
}

}  // namespace analysis
