#pragma once

// labrun compare: two runs, or two cells of one run, query by query.

#include "harness/command_line.hh"

namespace harness {

int compare(const CommandLine& command);

}  // namespace harness
