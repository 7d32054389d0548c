#pragma once

// `labrun minimize`.

#include "harness/command_line.hh"
#include "harness/image.hh"

namespace harness {

// Looks for the smallest part of a query's losses that makes it as slow, and prints it. Returns
// kExitExpectationFailed where even all of them do not. Throws BadInput for a query that no loss
// made slow.
int minimize(const CommandLine& command, const Image& image);

}  // namespace harness
