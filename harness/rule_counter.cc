#include "harness/rule_counter.hh"

#include <algorithm>

namespace harness {
namespace {

using analysis::End;
using analysis::Meaning;
using analysis::MeaningPart;
using analysis::PacketMeaning;

bool carries(const PacketMeaning& packet, Meaning message, Part part) {
  bool any = false;
  bool first = false;
  bool last = false;
  bool whole = false;
  for (const MeaningPart& carried : packet.parts) {
    if (carried.meaning != message) continue;
    any = true;
    first = first || carried.first;
    last = last || carried.last;
    whole = whole || (carried.first && carried.last);
  }
  switch (part) {
    case Part::kFirst:
      return first;
    case Part::kLast:
      return last;
    case Part::kMiddle:
      return any && !first && !last;
    case Part::kWhole:
      return whole;
  }
  return false;
}

bool fits(const GateRule& rule, const PacketMeaning& packet) {
  return std::ranges::all_of(rule.is, [&](Meaning meaning) {
    return packet.has(meaning) &&
           (!rule.part || !is_message(meaning) || carries(packet, meaning, *rule.part));
  });
}

}  // namespace

RuleMatcher::RuleMatcher(std::span<const GateRule> rules)
    : rules_(rules), counted_(rules.size()), taken_(rules.size()) {}

const GateRule* RuleMatcher::judge(End from, std::uint64_t ordinal, const PacketMeaning& meaning) {
  const GateRule* deciding = nullptr;
  for (std::size_t index = 0; index < rules_.size(); ++index) {
    if (!takes(index, from, ordinal, meaning)) continue;
    ++taken_[index];
    if (deciding == nullptr) deciding = &rules_[index];
  }
  if (deciding != nullptr && deciding->verdict == captures::Verdict::kDrop) return deciding;
  passed_ |= meaning.is;
  if (from == End::kClient && meaning.has(Meaning::kFinished)) handshake_complete_ = true;
  return deciding;
}

bool RuleMatcher::takes(std::size_t index, End from, std::uint64_t ordinal,
                        const PacketMeaning& meaning) {
  const GateRule& rule = rules_[index];
  if (rule.from != from) return false;
  if (rule.ordinal) return *rule.ordinal == ordinal;
  if (rule.after && !is_met(*rule.after)) return false;
  if (!fits(rule, meaning)) return false;
  const std::uint64_t number = ++counted_[index];
  return number >= rule.nth && (!rule.times || number - rule.nth < *rule.times);
}

bool RuleMatcher::is_met(const After& after) const {
  return after.meaning ? passed_.test(static_cast<std::size_t>(*after.meaning))
                       : handshake_complete_;
}

}  // namespace harness
