#include "transport/dns_name.hh"

#include "base/errors.hh"
#include "transport/dns_message.hh"

#include <algorithm>
#include <format>

namespace transport {
namespace {

// Locale has no say in DNS: only the 26 ASCII letters have two cases (RFC 4343).
std::uint8_t to_lower(std::uint8_t byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<std::uint8_t>(byte - 'A' + 'a') : byte;
}

std::optional<Bytes> lowered_wire(std::string_view name) {
  std::optional<Bytes> wire = name_to_wire(name);
  // Length bytes are below 64 and have no case either.
  if (wire) std::ranges::transform(*wire, wire->begin(), to_lower);
  return wire;
}

}  // namespace

std::optional<std::uint8_t> take_character(std::string_view& text) {
  const auto take = [&text] {
    const auto byte = static_cast<std::uint8_t>(text.front());
    text.remove_prefix(1);
    return byte;
  };
  const auto is_digit = [](char character) { return character >= '0' && character <= '9'; };
  const std::uint8_t first = take();
  if (first != '\\') return first;
  if (text.empty()) return std::nullopt;
  if (!is_digit(text.front())) return take();
  if (text.size() < 3 || !std::ranges::all_of(text.substr(0, 3), is_digit)) return std::nullopt;
  const int value = (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
  if (value > 255) return std::nullopt;
  text.remove_prefix(3);
  return static_cast<std::uint8_t>(value);
}

std::optional<Bytes> name_to_wire(std::string_view text) {
  if (text == ".") return Bytes{0};
  if (text.empty()) return std::nullopt;
  Bytes wire;
  while (!text.empty()) {
    const std::size_t length_at = wire.size();
    wire.push_back(0);
    while (!text.empty() && text.front() != '.') {
      const std::optional<std::uint8_t> byte = take_character(text);
      if (!byte) return std::nullopt;
      wire.push_back(*byte);
    }
    const std::size_t length = wire.size() - length_at - 1;
    if (length == 0 || length > kMaxLabel) return std::nullopt;
    wire[length_at] = static_cast<std::uint8_t>(length);
    if (!text.empty()) text.remove_prefix(1);
  }
  wire.push_back(0);
  if (wire.size() > kMaxNameWire) return std::nullopt;
  return wire;
}

std::string label_to_text(ByteSpan label) {
  std::string text;
  for (const std::uint8_t byte : label) {
    if (byte <= 0x20 || byte >= 0x7f) {
      text += std::format("\\{:03}", byte);
      continue;
    }
    const char character = static_cast<char>(byte);
    if (std::string_view(".\\\";()@$").contains(character)) text += '\\';
    text += character;
  }
  return text;
}

bool is_domain_name(std::string_view text) {
  return name_to_wire(text).has_value();
}

Bytes encode_name(std::string_view name) {
  std::optional<Bytes> wire = name_to_wire(name);
  if (!wire) throw base::LabError(std::format("'{}' is not a domain name", name));
  return *std::move(wire);
}

bool same_name(std::string_view left, std::string_view right) {
  const std::optional<Bytes> left_wire = lowered_wire(left);
  return left_wire && left_wire == lowered_wire(right);
}

bool is_within(std::string_view name, std::string_view zone) {
  const std::optional<Bytes> inner = lowered_wire(name);
  const std::optional<Bytes> outer = lowered_wire(zone);
  if (!inner || !outer) return false;
  // Only suffixes that begin at a label count.
  for (std::size_t at = 0; at < inner->size(); at += 1U + (*inner)[at]) {
    if (std::ranges::equal(ByteSpan(*inner).subspan(at), *outer)) return true;
  }
  return false;
}

}  // namespace transport
