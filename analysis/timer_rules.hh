#pragma once

// Whether a wait is as long as a timer would have been, given what its owner may have known of the
// round-trip time.

#include "analysis/cause.hh"
#include "analysis/rtt_estimator.hh"
#include "base/clock.hh"

#include <optional>
#include <span>

namespace analysis {

struct TimerMatch {
  CauseKind kind = CauseKind::kUnexplained;
  int backoff = 0;                              // how often it had doubled
  std::optional<base::Nanoseconds> estimate{};  // smoothed round trip that it was made of
};

// An end may leave samples out, and one that comes while a timer runs need not move it: any
// estimate of `history` will do, the latest first. A timer doubles each time that it fires in vain,
// so `most_backoff` is how often one has fired before.

// QUIC's probe timeout (RFC 9002 section 6.2), which poll(2) may make late by a thousandth of its
// time and the kernel's tick.
std::optional<TimerMatch> match_probe_timeout(base::Nanoseconds wait,
                                              std::span<const RttEstimate> history,
                                              int most_backoff);
// 9/8 of a round trip (RFC 9002 section 6.1.2).
bool is_loss_delay(base::Nanoseconds wait, std::span<const RttEstimate> history);

// TCP's retransmission timeout (RFC 6298) or tail loss probe (RFC 8985 section 7.2), with Linux's
// constants. The kernel's timer wheel makes them late by up to an eighth.
std::optional<TimerMatch> match_retransmission(base::Nanoseconds wait,
                                               std::span<const RttEstimate> history,
                                               int most_backoff);
// Of a SYN or SYN-ACK: 1 s, a few times without doubling (tcp_syn_linear_timeouts), then doubled.
std::optional<int> match_syn_timeout(base::Nanoseconds wait, int most_backoff);

}  // namespace analysis
