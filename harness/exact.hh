#pragma once

// labrun exact: answer times of all loss patterns with few losses, instead of a sample.

#include "harness/command_line.hh"
#include "harness/image.hh"
#include "harness/plan.hh"

#include <string>

namespace harness {

// `plan` is the scenario's own. Returns the exit code: 1 where a sampled run does not agree with
// what was walked. Throws BadInput where the losses of this scenario cannot be walked.
int exact(const CommandLine& command, const Image& image, const Plan& plan,
          const std::string& scenario_text);

}  // namespace harness
