#pragma once

// `labrun bundle` and `labrun bundle verify`: what goes with a report to a project.

#include "harness/command_line.hh"
#include "harness/image.hh"

namespace harness {

// Packs queries of a run, and all that is known of them, into one tar.zst. Runs lab kernels to
// reproduce the first of them.
int bundle(const CommandLine& command, const Image& image);

// Unpacks one, checks its sums, analyses its packets again and counts its outcomes again, and holds
// both to what it says. Returns kExitExpectationFailed where something differs. Throws BadInput for
// what is no bundle.
int verify_bundle(const CommandLine& command);

}  // namespace harness
