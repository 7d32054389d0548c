#pragma once

// The packet gate in manifest.json and under the table: what each rule took, and how long packets
// stood at the gate.

#include "base/clock.hh"
#include "harness/gate_tally.hh"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace harness {

nlohmann::json gate_json(const GateTally& tally, std::vector<base::Nanoseconds> delays);
// Of such an object: one line for each rule that never took a packet, and one about delays where
// they are worth a line.
std::string gate_text(const nlohmann::json& gate);
std::string gate_text(const GateTally& tally, std::vector<base::Nanoseconds> delays);

}  // namespace harness
