#pragma once

// What a server is asked to show, so that a table of what servers can do is made of answers and not
// of what somebody believes.

#include "endpoints/real_server.hh"
#include "harness/plan.hh"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

enum class Probe : std::uint8_t {
  kCold,       // an answer, and with which key exchange
  kRetry,      // an answer behind a Retry
  kTicket,     // a handshake that a session ticket resumes
  kEarlyData,  // a query that goes with it
};
std::string_view to_string(Probe probe);  // "cold", "retry", "ticket", "early-data"

struct ServerProbes {
  Plan plan;                  // one block for what may fail together
  std::vector<Probe> of_arm;  // parallel to the plan's arms
};

// Those that the catalogue says make sense of `server`, "nginx" or "nginx@testing": on a path of 20
// ms each way that loses nothing.
ServerProbes probes_of(const std::string& server);

std::vector<Transport> transports_of(const endpoints::RealServer& server);
bool takes_early_data(const endpoints::RealServer& server, Transport transport);

}  // namespace harness
