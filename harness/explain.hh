#pragma once

// labrun explain: one query of a run, packet by packet.

#include "harness/command_line.hh"

namespace harness {

int explain(const CommandLine& command);

}  // namespace harness
