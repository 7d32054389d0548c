#pragma once

// Why a packet was sent when it was sent: because something arrived, because a timer fired, or
// because the sender's program had worked on it.

#include "analysis/exchange.hh"
#include "base/clock.hh"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace analysis {

enum class CauseKind : std::uint8_t {
  kStart,          // the query began
  kArrival,        // at once, because a packet arrived
  kProcessing,     // new data that the sender's program took its time for
  kSynTimeout,     // TCP: repeated SYN (RFC 6298 section 5.7)
  kSynAckTimeout,  // TCP: repeated SYN-ACK
  kRto,            // TCP: retransmission timeout (RFC 6298)
  kTailLossProbe,  // TCP: RFC 8985 section 7
  kRackTimer,      // TCP: reordering window passed (RFC 8985 section 6.2)
  kTcpDelayedAck,  // TCP: RFC 9293 section 3.8.6.3
  kPto,            // QUIC: probe timeout (RFC 9002 section 6.2)
  kLossTimer,      // QUIC: time threshold, 9/8 round trips (RFC 9002 section 6.1.2)
  kQuicAckDelay,   // QUIC: RFC 9000 section 13.2.1
  kGaveUp,         // the client's own timeout: it stopped waiting
  kUnexplained,
};
// As queries.jsonl has it: "quic_pto".
std::string_view to_string(CauseKind kind);
// In words for people: "QUIC probe timeout".
std::string_view describe(CauseKind kind);
bool is_timer(CauseKind kind);

// What a timer's time counts from, or what triggered the packet.
struct Cause {
  CauseKind kind = CauseKind::kUnexplained;
  // The event that the time counts from: one whose arrival did (`by_arrival`) or one that the
  // sender itself had sent. Empty for kStart.
  std::optional<std::size_t> since;
  bool by_arrival = false;
  base::Nanoseconds wait{0};  // from then until the packet was sent
  int backoff = 0;            // of the timer: it had doubled so often
  // Of the timer: the smoothed round trip that it was made of, where there was one.
  std::optional<base::Nanoseconds> estimate{};
};

// Of each event, in the order of Exchange::events. Pure: knows the rules of the protocols and the
// packets, nothing else.
std::vector<Cause> find_causes(const Exchange& exchange);

}  // namespace analysis
