#include "tests/decoder/pdml.hh"

#include <array>
#include <string>
#include <utility>

namespace decoder {

std::optional<std::string_view> PdmlElement::attribute(std::string_view name) const {
  // Values have no bare quotes, so every second piece between quotes is one, and the piece before
  // it ends with its name and an equals sign.
  for (std::size_t quote = text.find('"'); quote != std::string_view::npos;) {
    const std::size_t end = text.find('"', quote + 1);
    if (end == std::string_view::npos) break;
    const std::string_view before = text.substr(0, quote - 1);
    if (before.ends_with(name) && before[before.size() - name.size() - 1] == ' ')
      return text.substr(quote + 1, end - quote - 1);
    quote = text.find('"', end + 1);
  }
  return std::nullopt;
}

std::optional<PdmlElement> PdmlScanner::next() {
  constexpr std::array<std::pair<std::string_view, PdmlElement::Kind>, 3> kKinds{{
      {"<field ", PdmlElement::Kind::kField},
      {"<proto ", PdmlElement::Kind::kProto},
      {"<packet>", PdmlElement::Kind::kPacket},
  }};
  while (true) {
    const std::size_t begin = text_.find('<', at_);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::size_t end = text_.find('>', begin);
    if (end == std::string_view::npos) return std::nullopt;
    at_ = end + 1;
    const std::string_view tag = text_.substr(begin, at_ - begin);
    if (tag.starts_with("</")) continue;
    for (const auto& [start, kind] : kKinds)
      if (tag.starts_with(start)) return PdmlElement{.kind = kind, .text = tag};
    return PdmlElement{.kind = PdmlElement::Kind::kOther, .text = tag};
  }
}

std::string unescaped(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}}};
  std::string plain;
  while (!text.empty()) {
    std::size_t taken = 1;
    char character = text.front();
    for (const auto& [entity, meaning] : kEntities) {
      if (!text.starts_with(entity)) continue;
      taken = entity.size();
      character = meaning;
    }
    plain += character;
    text.remove_prefix(taken);
  }
  return plain;
}

}  // namespace decoder
