#include "harness/gate_rule_reader.hh"

#include "base/text.hh"
#include "harness/gate_checks.hh"
#include "harness/gate_fields.hh"
#include "harness/spelling.hh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <format>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace harness {
namespace {

using captures::Verdict;

constexpr std::string_view kRuleAllowed = "fields such as { from: server, is: quic-initial }";

// The fields below one verdict.
class RuleReader {
 public:
  RuleReader(const ValueReader& gate, Verdict verdict, const RawEntry& entry)
      : reader_(gate.field(to_string(verdict), kRuleAllowed)), entry_(entry) {
    rule_.verdict = verdict;
  }

  std::optional<GateRule> read() {
    if (entry_.value.kind != RawNode::Kind::kMapping) {
      reader_.reject(entry_.value);
      return std::nullopt;
    }
    const std::size_t before = reader_.mistakes();
    refuse_unknown_fields();
    read_from();
    read_names();
    read_part();
    read_after();
    read_numbers();
    read_means();
    if (reader_.mistakes() != before) return std::nullopt;
    rule_.text = describe(rule_);
    return std::move(rule_);
  }

 private:
  const RawEntry* find(std::string_view name) const {
    const auto found = std::ranges::find(entry_.value.entries, name, &RawEntry::key);
    return found == entry_.value.entries.end() ? nullptr : &*found;
  }

  static const RuleField& field_of(std::string_view name) {
    return *std::ranges::find(kRuleFields, name, &RuleField::name);
  }
  ValueReader reader_of(std::string_view name) const {
    return reader_.field(name, field_of(name).allowed);
  }

  void refuse_unknown_fields() {
    std::vector<std::string_view> names;
    names.reserve(std::size(kRuleFields));
    for (const RuleField& field : kRuleFields) names.push_back(field.name);
    for (const RawEntry& entry : entry_.value.entries) {
      if (std::ranges::contains(names, entry.key)) continue;
      reader_.complain(entry.where, std::format("unknown field {}; {}", entry.key,
                                                suggestion(entry.key, names)));
    }
  }

  void missing(std::string_view name) {
    reader_.complain(entry_.where,
                     std::format("{} is missing; allowed: {}", name, field_of(name).allowed));
  }

  void read_from() {
    const RawEntry* from = find("from");
    if (from == nullptr) return missing("from");
    ValueReader reader = reader_of("from");
    const auto word = reader.text(from->value);
    if (!word) return;
    from_ = parse_end(*word);
    if (!from_) return reader.reject(from->value);
    rule_.from = *from_;
  }

  void read_names() {
    const RawEntry* is = find("is");
    if (is == nullptr) return;
    ValueReader reader = reader_of("is");
    const std::size_t before = reader.mistakes();
    reader.each(is->value, [&](const RawNode& item) { read_name(item, reader); });
    names_are_sound_ = reader.mistakes() == before;
    std::ranges::sort(rule_.is);
  }

  void read_name(const RawNode& item, ValueReader& reader) {
    const auto word = reader.text(item);
    if (!word) return;
    const auto meaning = analysis::parse_meaning(*word);
    if (!meaning) {
      return reader.complain(item.where, std::format("found {}; {}", quote(item),
                                                     suggestion(*word, analysis::meaning_names())));
    }
    if (std::ranges::contains(rule_.is, *meaning)) return reader.reject(item, "named twice");
    if (const auto why = why_no_packet(*meaning, from_, rule_.is))
      return reader.complain(item.where, *why);
    rule_.is.push_back(*meaning);
  }

  void read_part() {
    const RawEntry* part = find("part");
    if (part == nullptr) return;
    ValueReader reader = reader_of("part");
    const auto word = reader.text(part->value);
    if (!word) return;
    rule_.part = parse_part(*word);
    if (!rule_.part) return reader.reject(part->value);
    if (find("ordinal") != nullptr || !names_are_sound_) return;
    const auto messages = std::ranges::count_if(rule_.is, is_message);
    if (messages == 0) {
      reader.complain(part->where,
                      "of no message: is must have one, such as tls-client-hello or dns-answer");
    } else if (messages > 1) {
      reader.complain(part->where, "of several messages: is must have no more than one");
    }
  }

  void read_after() {
    const RawEntry* after = find("after");
    if (after == nullptr) return;
    ValueReader reader = reader_of("after");
    const auto word = reader.text(after->value);
    if (!word) return;
    rule_.after = parse_after(*word);
    if (!rule_.after) {
      std::vector<std::string_view> names{kHandshakeComplete};
      std::ranges::copy(analysis::meaning_names(), std::back_inserter(names));
      reader.complain(after->value.where,
                      std::format("found {}; {}", quote(after->value), suggestion(*word, names)));
    } else if (rule_.after->meaning) {
      if (const auto why = why_never(*rule_.after->meaning))
        reader.complain(after->value.where, *why);
    }
  }

  void read_number(std::string_view name, std::uint64_t& into) {
    if (const RawEntry* entry = find(name))
      reader_of(name).number(entry->value, std::uint64_t{1}, kLargestNumber, into);
  }

  void read_numbers() {
    read_number("nth", rule_.nth);
    const RawEntry* times = find("times");
    if (times != nullptr && times->value.kind == RawNode::Kind::kText &&
        times->value.text == "all") {
      rule_.times.reset();
    } else {
      read_number("times", *rule_.times);
    }
    if (find("ordinal") == nullptr) return;
    read_number("ordinal", rule_.ordinal.emplace());
    for (const std::string_view name : {"is", "part", "after", "nth", "times"}) {
      if (const RawEntry* other = find(name)) {
        reader_.complain(other->where,
                         std::format("{} does not go with ordinal, which names one packet", name));
      }
    }
  }

  // What the verdict needs to be carried out.
  void read_means() {
    const RawEntry* by = find("by");
    if (rule_.verdict != Verdict::kDelay) {
      if (by != nullptr) reader_.complain(by->where, "only delay has by");
    } else if (by == nullptr) {
      missing("by");
    } else {
      reader_of("by").duration(by->value, base::Nanoseconds(1), kLongestHold, rule_.by);
    }
    const RawEntry* behind = find("behind");
    if (rule_.verdict != Verdict::kReorder) {
      if (behind != nullptr) reader_.complain(behind->where, "only reorder has behind");
      return;
    }
    rule_.behind = 1;
    if (behind != nullptr)
      reader_of("behind").number(behind->value, 1U, kFarthestBehind, rule_.behind);
  }

  ValueReader reader_;
  const RawEntry& entry_;
  GateRule rule_;
  std::optional<analysis::End> from_;  // empty where it is not known
  bool names_are_sound_ = true;
};

}  // namespace

std::optional<GateRule> read_gate_rule(const RawNode& node, ValueReader& reader) {
  if (node.kind != RawNode::Kind::kMapping || node.entries.empty()) {
    reader.reject(node);
    return std::nullopt;
  }
  if (node.entries.size() > 1) {
    std::vector<std::string> keys;
    keys.reserve(node.entries.size());
    for (const RawEntry& entry : node.entries) keys.push_back(entry.key);
    reader.complain(node.where,
                    std::format("found {} side by side; a rule is one verdict with its fields "
                                "below it, such as drop: {{ from: server, is: quic-initial }}",
                                base::joined(keys, " and ")));
    return std::nullopt;
  }
  const RawEntry& entry = node.entries.front();
  const auto verdict = parse_rule_verdict(entry.key);
  if (!verdict) {
    std::vector<std::string_view> names;
    names.reserve(std::size(kRuleVerdicts));
    for (const Verdict known : kRuleVerdicts) names.push_back(to_string(known));
    reader.complain(entry.where,
                    std::format("unknown verdict {}; {}", entry.key, suggestion(entry.key, names)));
    return std::nullopt;
  }
  return RuleReader(reader, *verdict, entry).read();
}

}  // namespace harness
