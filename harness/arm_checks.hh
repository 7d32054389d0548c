#pragma once

// Values that are right alone and wrong together.

#include "harness/scenario.hh"
#include "harness/scenario_assignments.hh"

#include <string_view>
#include <vector>

namespace harness {

struct ArmInContext {
  const Arm& arm;
  const Scenario& scenario;               // transports and MTU are set
  const Assignments& assignments;         // what the file sets
  const std::vector<Assignment>& chosen;  // what this arm sets instead
  std::string_view file;
};

void check_arm(const ArmInContext& context, std::vector<Mistake>& mistakes);

}  // namespace harness
