#pragma once

// The packet gate of an arm in plan.json. Reads back exactly what it wrote.

#include "harness/gate_rule.hh"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace captures {
class JsonFields;
}

namespace harness {

// Null for an arm without the gate.
nlohmann::ordered_json gate_to_json(const GateSettings& gate);
// Throws captures::MalformedJson. No fields: no gate.
GateSettings gate_from_json(const std::optional<captures::JsonFields>& fields);

}  // namespace harness
