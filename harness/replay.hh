#pragma once

// `labrun replay`.

#include "harness/command_line.hh"
#include "harness/image.hh"

namespace harness {

// Asks the chosen queries of a run again, each alone, with the same done to their packets, and
// prints how they ended. Returns kExitSuccess where all ended the same. Throws BadInput for what
// cannot be replayed.
int replay(const CommandLine& command, const Image& image);

}  // namespace harness
