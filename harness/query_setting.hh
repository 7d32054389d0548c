#pragma once

// What the plan says about a query's path and server, in the words of the analysis.

#include "analysis/query_analysis.hh"
#include "harness/command_line.hh"
#include "harness/plan.hh"

namespace harness {

// `plan` must outlive the result. A record of a cell that the plan does not have is a LabError.
analysis::SettingOf settings_of(const Plan& plan, KernelKind kernel);

}  // namespace harness
