#pragma once

// The anti-amplification limit of QUIC (RFC 9000 section 8.1) as a server's packets met it. Counts
// UDP payload: what the server sent, lost or not, and what of the client's arrived, the path's
// copies included.

#include "analysis/exchange.hh"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace analysis {

struct AmplificationBudget {
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  // By a Handshake or 1-RTT packet, or by the token of a Retry.
  bool validated = false;
  // The client has shown another token, or a connection ID of at least 64 bits that the server
  // chose. The server may take either for validation; only it knows whether it did.
  bool may_be_validated = false;

  std::uint64_t allowed() const { return 3 * received; }
  std::uint64_t left() const { return sent >= allowed() ? 0 : allowed() - sent; }
};

// Of one conversation, at every moment until the client's address was validated. Made in one pass,
// asked in logarithmic time.
class AmplificationLedger {
 public:
  AmplificationLedger(const Exchange& exchange, std::size_t conversation);

  // As it was just before `at_ns`.
  AmplificationBudget before(std::int64_t at_ns) const;

 private:
  struct Entry {
    std::int64_t at_ns = 0;
    AmplificationBudget budget;  // from then on
  };
  std::vector<Entry> entries_;
};

// Bytes that the server's first flight takes: its datagrams up to the one that completes its
// Finished, without padding and without what had been sent before.
std::uint64_t flight_bytes(const Exchange& exchange, std::size_t conversation);

}  // namespace analysis
