#pragma once

// What a round trip was for, from its two packets and what went before.

#include "analysis/accounting.hh"
#include "analysis/exchange.hh"

#include <cstddef>

namespace analysis {

// `request` and `answer` are indices of events: the client's packet, and the server's that it led
// to.
TripKind trip_kind(const Exchange& exchange, std::size_t request, std::size_t answer);

}  // namespace analysis
