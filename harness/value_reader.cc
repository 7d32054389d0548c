#include "harness/value_reader.hh"

#include "harness/spelling.hh"

#include <algorithm>
#include <charconv>

namespace harness {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void ValueReader::reject(const RawNode& found, std::string_view why) {
  std::string text = std::format("{}: found {}", key_, quote(found));
  if (!why.empty()) text += std::format(" ({})", why);
  mistakes_.push_back({found.where, std::format("{}; allowed: {}", text, allowed_)});
}

void ValueReader::complain(const Location& where, std::string_view what) {
  mistakes_.push_back({where, std::format("{}: {}", key_, what)});
}

ValueReader ValueReader::field(std::string_view name, std::string_view allowed) const {
  return {std::format("{}.{}", key_, name), allowed, mistakes_};
}

std::optional<std::string_view> ValueReader::text(const RawNode& node) {
  if (node.kind == RawNode::Kind::kText && !node.text.empty()) return node.text;
  reject(node);
  return std::nullopt;
}

template <typename Value>
void ValueReader::ranged(const RawNode& node, std::optional<Value> value, Value low, Value high,
                         Value& into) {
  if (!value) {
    reject(node);
  } else if (*value < low) {
    reject(node, "too small");
  } else if (*value > high) {
    reject(node, "too large");
  } else {
    into = *value;
  }
}

void ValueReader::number(const RawNode& node, std::uint64_t low, std::uint64_t high,
                         std::uint64_t& into) {
  if (const auto word = text(node)) ranged(node, parse_number(*word), low, high, into);
}

void ValueReader::number(const RawNode& node, std::uint32_t low, std::uint32_t high,
                         std::uint32_t& into) {
  std::uint64_t value = into;
  number(node, std::uint64_t{low}, std::uint64_t{high}, value);
  into = static_cast<std::uint32_t>(value);
}

void ValueReader::duration(const RawNode& node, base::Nanoseconds low, base::Nanoseconds high,
                           base::Nanoseconds& into) {
  if (const auto word = text(node)) ranged(node, base::parse_duration(*word), low, high, into);
}

void ValueReader::bytes(const RawNode& node, std::uint64_t low, std::uint64_t high,
                        base::ByteCount& into) {
  const auto word = text(node);
  if (!word) return;
  const auto count = base::parse_byte_count(*word);
  ranged(node, count ? std::optional(count->bytes) : std::nullopt, low, high, into.bytes);
}

void ValueReader::probability(const RawNode& node, base::Probability& into) {
  const auto word = text(node);
  if (!word) return;
  if (const auto value = base::parse_probability(*word)) {
    into = *value;
  } else {
    reject(node);
  }
}

void ValueReader::boolean(const RawNode& node, bool& into) {
  static constexpr std::array<std::pair<std::string_view, bool>, 2> kNames{
      {{"true", true}, {"false", false}}};
  choice<bool>(node, kNames, into);
}

void ValueReader::each(const RawNode& node, const std::function<void(const RawNode&)>& read) {
  if (node.kind != RawNode::Kind::kList) return read(node);
  if (node.items.empty()) return reject(node);
  for (const RawNode& item : node.items) read(item);
}

void ValueReader::fields(const RawNode& node, std::span<const std::string_view> keys,
                         const std::function<void(std::string_view, const RawNode&)>& read) {
  if (node.kind != RawNode::Kind::kMapping) return reject(node);
  for (const RawEntry& entry : node.entries) {
    if (std::ranges::contains(keys, entry.key)) {
      read(entry.key, entry.value);
    } else {
      mistakes_.push_back({entry.where, std::format("{}.{}: unknown key; allowed: {}", key_,
                                                    entry.key, join_alternatives(keys))});
    }
  }
}

}  // namespace harness
