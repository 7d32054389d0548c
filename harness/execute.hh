#pragma once

// Does what the command line asks for.

#include "harness/command_line.hh"

namespace harness {

// Returns the exit code (base/errors.hh). Throws BadInput and LabError.
int execute(const CommandLine& command);

}  // namespace harness
