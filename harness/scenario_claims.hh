#pragma once

// The claims of a scenario's `expect`.

#include "harness/raw_scenario.hh"
#include "harness/scenario.hh"

#include <vector>

namespace harness {

// Reads entries like { cell: "*/doq", metric: p50, within: [79.9ms, 80.1ms] }. A '*' in the cell
// stands for any text, and the claim is made about every cell that fits. `scenario` has its arms
// and transports.
std::vector<Claim> read_claims(const RawNode& expect, const Scenario& scenario,
                               std::vector<Mistake>& mistakes);

// True when `name` fits `pattern`, in which each '*' stands for any text.
bool fits_pattern(std::string_view name, std::string_view pattern);

}  // namespace harness
