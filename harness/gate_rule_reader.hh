#pragma once

// Reads one rule of the packet gate.

#include "harness/gate_rule.hh"
#include "harness/value_reader.hh"

#include <optional>

namespace harness {

// Empty for a rule with mistakes, all of which are said.
std::optional<GateRule> read_gate_rule(const RawNode& node, ValueReader& reader);

}  // namespace harness
