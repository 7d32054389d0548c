#pragma once

// Reads the rules of the packet gate and holds each against those before it.

#include "harness/gate_rule.hh"
#include "harness/value_reader.hh"

#include <vector>

namespace harness {

struct PlacedRule {
  GateRule rule;
  Location where;
};

// `node` is a rule or a list of them. Those with mistakes are left out.
std::vector<PlacedRule> read_gate_rules(const RawNode& node, ValueReader& reader);

}  // namespace harness
