#pragma once

// In what two plans differ, so that a comparison of their runs says what else was changed.

#include "harness/plan.hh"

#include <string>
#include <vector>

namespace harness {

// One line for each key that differs, values of A and B behind it where they are short:
// "client.initial_rtt 333ms / 100ms". A key of several arms stands there once for each pair of
// values. Seeds and what follows from them, claims, and arms that only one plan has are left out.
std::vector<std::string> plan_differences(const Plan& a, const Plan& b);

}  // namespace harness
