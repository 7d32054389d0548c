#pragma once

// What a round trip was for, from its two packets and what went before.

#include "analysis/accounting.hh"
#include "analysis/exchange.hh"

#include <cstddef>
#include <optional>

namespace analysis {

// `request` and `answer` are indices of events: the client's packet, and the server's that it led
// to.
TripKind trip_kind(const Exchange& exchange, std::size_t request, std::size_t answer);

// The state of the anti-amplification limit (RFC 9000 section 8.1) just before the client's packet
// `request` arrived. Counts UDP payload, lost or not.
struct AmplificationBudget {
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  bool validated = false;  // by a Handshake or 1-RTT packet, or a token
  // The client has used a connection ID of at least 64 bits that the server chose, which the server
  // may take for validation; many do not.
  bool may_be_validated = false;
  std::uint64_t allowed() const { return 3 * received; }
  std::uint64_t left() const { return sent >= allowed() ? 0 : allowed() - sent; }
};
// Of the QUIC conversation `conversation`, at the server, just before `at_ns`.
AmplificationBudget amplification_budget(const Exchange& exchange, std::size_t conversation,
                                         std::int64_t at_ns);

// UDP payload that the server would have sent at once without the limit: its datagrams up to the
// one that completes its Finished, repetitions left out.
std::uint64_t flight_bytes(const Exchange& exchange, std::size_t conversation);

}  // namespace analysis
