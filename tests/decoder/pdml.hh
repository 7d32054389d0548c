#pragma once

// The elements of a PDML file, Wireshark's packet details in XML, in the order in which they begin.
// Just as much XML as PDML has: no comments with markup, no CDATA, attributes in double quotes.

#include <optional>
#include <string>
#include <string_view>

namespace decoder {

struct PdmlElement {
  enum class Kind { kPacket, kProto, kField, kOther };
  Kind kind = Kind::kOther;
  std::string_view text;  // all of the tag

  // The value of an attribute as it stands in the file; nullopt without one.
  std::optional<std::string_view> attribute(std::string_view name) const;
  std::string_view name() const { return attribute("name").value_or(""); }
};

class PdmlScanner {
 public:
  // `text` must outlive the scanner and what it gives out.
  explicit PdmlScanner(std::string_view text) : text_(text) {}
  // The next element that begins; nullopt at the end.
  std::optional<PdmlElement> next();

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// Entities resolved.
std::string unescaped(std::string_view text);

}  // namespace decoder
