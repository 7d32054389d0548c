#pragma once

// plan.json: the whole plan, from which a lab kernel's side works without the scenario.

#include "harness/plan.hh"

#include <string>
#include <string_view>

namespace harness {

// Raised when a key is renamed or changes its meaning; not when one is added.
inline constexpr int kPlanFormat = 1;

// Equal plans give equal bytes. Seeds are decimal strings: many JSON readers keep 53 bits only.
std::string plan_to_json(const Plan& plan);
// Reads it back; throws LabError that names the missing or mistyped field.
Plan plan_from_json(std::string_view text);

}  // namespace harness
