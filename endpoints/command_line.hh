#pragma once

// labdns's command line.

#include "endpoints/server_spec.hh"

#include <expected>
#include <iosfwd>

namespace endpoints {

// What to serve, or the exit code of a process that has said everything: help on `out`, mistakes on
// `error`.
std::expected<ServerSpec, int> parse_command_line(int argc, const char* const* argv,
                                                  std::ostream& out, std::ostream& error);

}  // namespace endpoints
