#pragma once

// What servers of Debian cannot be, so that a scenario that wants it is told.

#include "harness/scenario.hh"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

// Key exchange groups of a server that is told none.
std::vector<std::string> usual_groups(std::string_view server);

struct ServerProblem {
  std::string_view key;  // "endpoint.retry"
  std::string text;      // "knot 3.4 with GnuTLS cannot be told to validate addresses"
};
// Of an arm whose server is one of them; empty where it can be all that, and for labdns.
std::vector<ServerProblem> problems_of(const EndpointSettings& endpoint,
                                       std::span<const Transport> transports);

}  // namespace harness
