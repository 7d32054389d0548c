#pragma once

// labrun map: the lossless exchange of each cell packet by packet, and beside each packet what
// losing it, or its coming late, costs.

#include "harness/command_line.hh"
#include "harness/image.hh"
#include "harness/plan.hh"

#include <string>

namespace harness {

// `plan` is the scenario's own. Throws BadInput where the losses of this scenario cannot be walked.
int map_losses(const CommandLine& command, const Image& image, const Plan& plan,
               const std::string& scenario_text);

}  // namespace harness
