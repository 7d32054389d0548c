#pragma once

// What clients of Debian cannot be told, so that a scenario that wants it is told.

#include "harness/scenario.hh"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

// Key exchange groups of a client that is told none, for a server that takes these.
std::vector<std::string> usual_client_groups(std::string_view program,
                                             const std::vector<std::string>& server);

// Those of its groups whose shares its ClientHello has.
std::span<const std::string> shared_groups(const ClientSettings& client);

struct ClientProblem {
  std::string_view key;  // "client.connection"
  std::string text;
};
// Of an arm whose client is one of them; empty where it can do all that, and for labquery.
std::vector<ClientProblem> problems_of(const ClientSettings& client,
                                       std::span<const Transport> transports);

}  // namespace harness
