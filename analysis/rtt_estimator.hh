#pragma once

// What an end knows of the round-trip time at a moment, from the packets that it had sent and
// received by then: what its timers are made of.

#include "analysis/exchange.hh"
#include "base/clock.hh"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace analysis {

struct RttEstimate {
  base::Nanoseconds smoothed{0};
  base::Nanoseconds variation{0};
  std::optional<base::Nanoseconds> latest;  // empty before the first sample
  std::optional<base::Nanoseconds> minimum;

  void add_sample(base::Nanoseconds sample, base::Nanoseconds ack_delay);
};

// One end of one conversation.
struct Sender {
  End end = End::kClient;
  std::size_t conversation = 0;
  bool sent(const PacketEvent& event) const {
    return event.from == end && event.conversation == conversation;
  }
  bool hears(const PacketEvent& event) const {
    return event.from != end && event.conversation == conversation && event.useful();
  }
};

// QUIC: RFC 9002 section 5.3. The sender's estimates up to just after `at_ns`, the first before any
// sample.
std::vector<RttEstimate> quic_rtt_history(const Exchange& exchange, Sender sender,
                                          std::int64_t at_ns);
// RFC 9002 section 6.2.1, without back-off and without max_ack_delay.
base::Nanoseconds quic_pto(const RttEstimate& estimate);

// TCP: RFC 6298 as Linux does it, whose variation is never below 200 ms (tcp_rto_min).
// The estimates up to just after `at_ns`, the first before any sample.
std::vector<RttEstimate> tcp_rtt_history(const Exchange& exchange, Sender sender,
                                         std::int64_t at_ns);
// Without back-off. 1 s before the first sample.
base::Nanoseconds tcp_rto(const RttEstimate& estimate);

}  // namespace analysis
