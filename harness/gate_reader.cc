#include "harness/gate_reader.hh"

#include "harness/gate_rule_reader.hh"

#include <algorithm>
#include <format>
#include <span>
#include <utility>

namespace harness {

std::vector<PlacedRule> read_gate_rules(const RawNode& node, ValueReader& reader) {
  const std::span<const RawNode> items =
      node.kind == RawNode::Kind::kList ? std::span(node.items) : std::span(&node, 1);
  std::vector<PlacedRule> rules;
  for (const RawNode& item : items.first(std::min(items.size(), kMaxGateRules))) {
    auto rule = read_gate_rule(item, reader);
    if (!rule) continue;
    const auto same = std::ranges::find_if(
        rules, [&](const PlacedRule& other) { return select_the_same(other.rule, *rule); });
    if (same != rules.end()) {
      reader.complain(item.where, std::format("takes the same packets as the rule at {}, which "
                                              "decides first",
                                              to_string(same->where)));
      continue;
    }
    rules.push_back({std::move(*rule), item.where});
  }
  if (items.size() > kMaxGateRules) {
    reader.complain(items[kMaxGateRules].where,
                    std::format("{} rules; allowed: at most {}", items.size(), kMaxGateRules));
  }
  return rules;
}

}  // namespace harness
