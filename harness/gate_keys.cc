#include "harness/gate_fields.hh"
#include "harness/gate_reader.hh"
#include "harness/scenario_arms.hh"
#include "harness/scenario_keys.hh"

#include <algorithm>
#include <utility>

namespace harness {
namespace {

void read_gate(const RawNode& node, ValueReader& reader, Draft& draft) {
  GateSettings& gate = draft.settings.gate;
  gate = {};
  if (node.kind == RawNode::Kind::kNull) return reader.reject(node);
  if (node.kind == RawNode::Kind::kText) {
    if (node.text != "pass" && node.text != "off") return reader.reject(node);
    gate.on = node.text == "pass";
    return;
  }
  gate.on = true;
  for (PlacedRule& placed : read_gate_rules(node, reader))
    gate.rules.push_back(std::move(placed.rule));
}

// "drop+client+syn+nth-2": the verdict, which is a key and no value, and words before bare numbers,
// so that rules that differ have names that do.
std::string rule_name(const RawNode& rule) {
  const RawEntry& entry = rule.entries.front();
  std::string name = entry.key;
  for (const RuleField& field : kRuleFields) {
    const auto found = std::ranges::find(entry.value.entries, field.name, &RawEntry::key);
    if (found == entry.value.entries.end()) continue;
    name.append("+").append(field.arm_word).append(value_name(found->value));
  }
  return name;
}

std::string gate_name(const RawNode& value) {
  if (value.kind == RawNode::Kind::kMapping && !value.entries.empty()) return rule_name(value);
  if (value.kind != RawNode::Kind::kList) return value_name(value);
  if (value.items.empty()) return "pass";
  std::string name;
  for (const RawNode& item : value.items) name += (name.empty() ? "" : "+") + gate_name(item);
  return name;
}

}  // namespace

std::vector<Key> gate_keys() {
  return {{.name = "gate",
           .fallback = "off",
           .allowed = "pass, off, or a list of rules such as drop: { from: server, is: "
                      "quic-initial, nth: 2 }",
           .read = read_gate,
           .name_value = gate_name}};
}

}  // namespace harness
