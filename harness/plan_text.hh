#pragma once

// A plan as people read it; plan_json.hh has the form for programs.

#include "harness/plan.hh"

#include <string>

namespace harness {

// Arms with their paths and servers, cells with floors, blocks with seeds and first queries.
std::string describe(const Plan& plan);

}  // namespace harness
