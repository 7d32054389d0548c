#include "harness/gate_rule.hh"

#include "base/text.hh"
#include "base/units.hh"

#include <algorithm>
#include <format>
#include <span>

namespace harness {
namespace {

using analysis::End;
using analysis::Meaning;

constexpr std::array<std::string_view, 4> kParts{"first", "last", "middle", "whole"};

std::string which(const GateRule& rule) {
  std::string first = base::ordinal_word(rule.nth);
  if (!rule.times) return rule.nth == 1 ? "all" : std::format("all from the {}", first);
  if (*rule.times == 1) return first;
  return std::format("{} to {}", first, base::ordinal_word(rule.nth + *rule.times - 1));
}

std::string what(const GateRule& rule) {
  if (rule.ordinal) return std::format("packet {}", *rule.ordinal);
  std::vector<std::string> names;
  names.reserve(rule.is.size());
  for (const Meaning meaning : rule.is) names.emplace_back(to_string(meaning));
  std::string text = names.empty() ? "packet" : base::joined(names, "+");
  if (rule.part)
    text +=
        std::format(" ({}{})", to_string(*rule.part), *rule.part == Part::kWhole ? "" : " part");
  if (rule.after) text += std::format(" after {}", to_string(*rule.after));
  return std::format("{}, {}", text, which(rule));
}

// `ordinal` in the words of the other fields.
GateRule selection_of(const GateRule& rule) {
  return {.from = rule.from,
          .is = rule.is,
          .part = rule.part,
          .after = rule.after,
          .ordinal = {},
          .nth = rule.ordinal.value_or(rule.nth),
          .times = rule.ordinal ? 1 : rule.times,
          .text = {}};
}

}  // namespace

std::string_view to_string(Part part) {
  return kParts.at(static_cast<std::size_t>(part));
}

std::string_view to_string(After after) {
  return after.meaning ? to_string(*after.meaning) : kHandshakeComplete;
}

std::optional<captures::Verdict> parse_rule_verdict(std::string_view word) {
  for (const captures::Verdict verdict : kRuleVerdicts)
    if (to_string(verdict) == word) return verdict;
  return std::nullopt;
}

std::optional<End> parse_end(std::string_view word) {
  for (const End end : {End::kClient, End::kServer})
    if (to_string(end) == word) return end;
  return std::nullopt;
}

std::optional<Part> parse_part(std::string_view word) {
  const auto found = std::ranges::find(kParts, word);
  if (found == kParts.end()) return std::nullopt;
  return static_cast<Part>(found - kParts.begin());
}

std::optional<After> parse_after(std::string_view word) {
  if (word == kHandshakeComplete) return After{};
  const auto meaning = analysis::parse_meaning(word);
  return meaning ? std::optional(After{meaning}) : std::nullopt;
}

bool is_message(Meaning meaning) {
  return to_string(meaning).starts_with("tls-") || to_string(meaning).starts_with("dns-");
}

std::string describe(const GateRule& rule) {
  std::string text =
      std::format("{} {} {}", to_string(rule.verdict), to_string(rule.from), what(rule));
  if (rule.verdict == captures::Verdict::kDelay)
    text += std::format(", by {}", base::to_string(rule.by));
  if (rule.verdict == captures::Verdict::kReorder) text += std::format(", behind {}", rule.behind);
  return text;
}

bool select_the_same(const GateRule& one, const GateRule& other) {
  return selection_of(one) == selection_of(other);
}

}  // namespace harness
