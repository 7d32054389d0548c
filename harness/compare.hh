#pragma once

// labrun compare: two runs, or two cells of one run, query by query.

#include "harness/command_line.hh"

#include <string>

namespace harness {

// Prints it. Throws BadInput where there is nothing to compare: no run directory, an unknown cell,
// no pair of queries.
int compare(const CommandLine& command);

// What compare() prints.
std::string comparison_of(const CommandLine& command);

}  // namespace harness
