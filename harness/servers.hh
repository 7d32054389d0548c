#pragma once

// `labrun servers`: which server can do what, from answers in lab kernels.

#include "harness/command_line.hh"
#include "harness/image.hh"

namespace harness {

// Returns the exit code: kExitExpectationFailed where a server does not do what endpoints/ says of
// it, or does not start. Throws BadInput for names that are no server's, LabError.
int servers(const CommandLine& command, const Image& image);

}  // namespace harness
