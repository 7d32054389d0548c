#pragma once

// labrun analyze: a run explained again, or a capture that labrun did not make.

#include "harness/command_line.hh"

namespace harness {

int analyze(const CommandLine& command);

}  // namespace harness
