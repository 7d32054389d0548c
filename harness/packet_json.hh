#pragma once

// A decoded packet as one line of JSON, for programs (docs/run-directory.md).

#include "analysis/exchange.hh"

#include <string>

namespace harness {

std::string to_json_line(const analysis::PacketEvent& event);

}  // namespace harness
