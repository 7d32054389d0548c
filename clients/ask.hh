#pragma once

// What `labquery SERVER NAME` does: the same query once or several times, and a report of it.

#include "clients/command_line.hh"

#include <iosfwd>

namespace clients {

// Returns the exit code: 0 when every query was answered, 1 otherwise. Throws LabError when this
// machine cannot ask.
int ask(const CommandLine& command, std::ostream& out);

}  // namespace clients
