#pragma once

// The main job: measure every block of a plan, keep the evidence, judge it, and print the table.

#include "harness/command_line.hh"
#include "harness/image.hh"
#include "harness/plan.hh"

#include <string>

namespace harness {

// Returns the exit code: kExitExpectationFailed where a claim of the scenario is broken,
// kExitLabFailure where a block is invalid, kExitInterrupted after SIGINT or SIGTERM. Throws
// BadInput and LabError.
int run(const CommandLine& command, const Image& image, const Plan& plan,
        const std::string& scenario_text);

}  // namespace harness
