#pragma once

// The arms of a scenario: what `vary` multiplies out to, each combination checked as a whole.

#include "harness/scenario_assignments.hh"
#include "harness/scenario_keys.hh"

#include <string_view>
#include <vector>

namespace harness {

// Addresses of one network suffice for this many, and no table is read beyond it.
inline constexpr std::size_t kMaxArms = 64;

// Reads every key without regard to `vary`, defaults included.
Draft read_common(const Assignments& assignments, std::vector<Mistake>& mistakes);

// `file` names the scenario in messages about values that stand nowhere in it; `scenario` has its
// transports and MTU. At least one arm.
std::vector<Arm> make_arms(const Assignments& assignments, std::string_view file,
                           const Scenario& scenario, std::vector<Mistake>& mistakes);

// What goes on after an arm's key: "always" for [endpoint.retry, always], "X25519+P-256" for a
// list.
std::string value_name(const RawNode& value);

}  // namespace harness
