#include "analysis/cause.hh"

#include "analysis/rtt_estimator.hh"

#include <algorithm>
#include <array>
#include <chrono>
#include <ranges>
#include <utility>

namespace analysis {
namespace {

using base::Nanoseconds;
using std::chrono::microseconds;
using std::chrono::milliseconds;

// In virtual time a reaction takes microseconds, however much it computes.
constexpr Nanoseconds kAtOnce = microseconds(100);
// What may pass as a reaction where no timer fits.
constexpr Nanoseconds kSoon = milliseconds(1);
// A timer of QUIC wakes its program through poll(2), which may be late by a thousandth of the time
// that was asked for, and by the kernel's tick.
constexpr Nanoseconds kTick = microseconds(1200);
constexpr int kMaxBackoff = 10;

struct Names {
  CauseKind kind;
  std::string_view name;
  std::string_view words;
};
constexpr std::array kNames{
    Names{CauseKind::kStart, "start", "start of the query"},
    Names{CauseKind::kArrival, "arrival", "arrival"},
    Names{CauseKind::kProcessing, "processing", "the program's work"},
    Names{CauseKind::kSynTimeout, "syn_rto", "TCP's timeout of the SYN"},
    Names{CauseKind::kSynAckTimeout, "syn_ack_rto", "TCP's timeout of the SYN-ACK"},
    Names{CauseKind::kRto, "tcp_rto", "TCP retransmission timeout"},
    Names{CauseKind::kTailLossProbe, "tcp_tlp", "TCP tail loss probe"},
    Names{CauseKind::kRackTimer, "tcp_rack", "TCP reordering window"},
    Names{CauseKind::kTcpDelayedAck, "tcp_delayed_ack", "TCP delayed acknowledgement"},
    Names{CauseKind::kPto, "quic_pto", "QUIC probe timeout"},
    Names{CauseKind::kLossTimer, "quic_loss_timer", "QUIC loss timer, 9/8 of a round trip"},
    Names{CauseKind::kQuicAckDelay, "quic_ack_delay", "QUIC acknowledgement delay"},
    Names{CauseKind::kUnexplained, "unexplained", "unexplained"},
};

const Names& names_of(CauseKind kind) {
  return *std::ranges::find(kNames, kind, &Names::kind);
}

// The kernel's timer wheel fires late by up to an eighth of the time that was asked for.
bool on_timer_wheel(Nanoseconds wait, Nanoseconds timer) {
  return wait >= timer - milliseconds(1) && wait <= timer + timer / 8 + milliseconds(4);
}

bool fits(Nanoseconds wait, Nanoseconds timer) {
  return wait >= timer - kSoon && wait <= timer + timer / 1000 + kTick;
}

// The causes of one exchange, found event by event.
class CauseFinder {
 public:
  explicit CauseFinder(const Exchange& exchange) : exchange_(exchange) {}

  std::vector<Cause> run() {
    causes_.reserve(exchange_.events.size());
    for (std::size_t index = 0; index < exchange_.events.size(); ++index)
      causes_.push_back(find(index));
    return std::move(causes_);
  }

 private:
  Cause find(std::size_t index) const {
    const PacketEvent& event = exchange_.events[index];
    const auto arrival = last_arrival(index);
    if (arrival && since_arrival(*arrival, event) <= kAtOnce)
      return from_arrival(CauseKind::kArrival, *arrival, event);
    const auto previous = last_sent(index, [](const PacketEvent&) { return true; });
    // A flight leaves as one: what triggered its first packet triggered them all.
    if (previous && Nanoseconds(event.sent_ns - exchange_.events[*previous].sent_ns) <= kAtOnce)
      return follow(causes_[*previous], *previous, event);
    if (!arrival && !previous) return {.kind = CauseKind::kStart, .since = {}};
    const std::optional<Cause> timer =
        event.packet.tcp ? tcp_timer(index, arrival) : quic_timer(index, arrival);
    if (timer) return *timer;
    return otherwise(event, arrival, previous);
  }

  Nanoseconds since_arrival(std::size_t arrival, const PacketEvent& event) const {
    return Nanoseconds(event.sent_ns - *exchange_.events[arrival].arrived_ns);
  }
  Nanoseconds since_sent(std::size_t sent, const PacketEvent& event) const {
    return Nanoseconds(event.sent_ns - exchange_.events[sent].sent_ns);
  }

  // The latest of the other end's packets that had arrived by then.
  std::optional<std::size_t> last_arrival(std::size_t index) const {
    const PacketEvent& event = exchange_.events[index];
    std::optional<std::size_t> latest;
    for (std::size_t other = 0; other < exchange_.events.size(); ++other) {
      const PacketEvent& candidate = exchange_.events[other];
      if (candidate.from == event.from || !candidate.useful() ||
          *candidate.arrived_ns > event.sent_ns)
        continue;
      if (!latest || *candidate.arrived_ns >= *exchange_.events[*latest].arrived_ns) latest = other;
    }
    return latest;
  }

  template <typename Condition>
  std::optional<std::size_t> last_sent(std::size_t index, Condition condition) const {
    const PacketEvent& event = exchange_.events[index];
    for (std::size_t other = index; other-- > 0;) {
      const PacketEvent& candidate = exchange_.events[other];
      if (candidate.from == event.from && condition(candidate)) return other;
    }
    return std::nullopt;
  }

  Cause from_arrival(CauseKind kind, std::size_t arrival, const PacketEvent& event) const {
    return {.kind = kind,
            .since = arrival,
            .by_arrival = true,
            .wait = since_arrival(arrival, event),
            .backoff = 0};
  }
  Cause from_sent(CauseKind kind, std::size_t sent, const PacketEvent& event, int backoff) const {
    return {.kind = kind,
            .since = sent,
            .by_arrival = false,
            .wait = since_sent(sent, event),
            .backoff = backoff};
  }
  // The same cause for a packet that left a moment later.
  Cause follow(Cause cause, std::size_t previous, const PacketEvent& event) const {
    cause.wait += Nanoseconds(event.sent_ns - exchange_.events[previous].sent_ns);
    return cause;
  }

  std::optional<Cause> tcp_timer(std::size_t index, std::optional<std::size_t> arrival) const {
    const PacketEvent& event = exchange_.events[index];
    const TcpSegment& segment = *event.packet.tcp;
    if (segment.syn) return syn_timer(index);
    if (segment.pure_ack()) {
      constexpr Nanoseconds kLongestDelayedAck = milliseconds(201);
      if (arrival && since_arrival(*arrival, event) <= kLongestDelayedAck &&
          exchange_.events[*arrival].packet.ack_eliciting())
        return from_arrival(CauseKind::kTcpDelayedAck, *arrival, event);
      return std::nullopt;
    }
    // A tail loss probe may bring new data (RFC 8985 section 7.3), where older is under way.
    const bool again = !event.packet.data.empty() && event.packet.data.front().again;
    return again || segment.begin > acknowledged_by_then(event) ? repetition_timer(index, arrival)
                                                                : std::nullopt;
  }

  // How many bytes of the sender it knew to have arrived.
  std::uint64_t acknowledged_by_then(const PacketEvent& event) const {
    std::uint64_t acknowledged = 0;
    for (const PacketEvent& other : exchange_.events)
      if (other.from != event.from && other.conversation == event.conversation && other.useful() &&
          other.packet.tcp && *other.arrived_ns <= event.sent_ns)
        acknowledged = std::max(acknowledged, other.packet.tcp->acknowledged);
    return acknowledged;
  }

  // Linux asks for 1 s, a few times without doubling it (tcp_syn_linear_timeouts), then doubles.
  std::optional<Cause> syn_timer(std::size_t index) const {
    const PacketEvent& event = exchange_.events[index];
    const auto is_syn = [](const PacketEvent& sent) {
      return sent.packet.tcp && sent.packet.tcp->syn;
    };
    const auto base = last_sent(index, is_syn);
    if (!base) return std::nullopt;
    const CauseKind kind =
        event.packet.tcp->ack ? CauseKind::kSynAckTimeout : CauseKind::kSynTimeout;
    for (int backoff = 0; backoff <= kMaxBackoff; ++backoff)
      if (on_timer_wheel(since_sent(*base, event), milliseconds(1000) * (1 << backoff)))
        return from_sent(kind, *base, event, backoff);
    return std::nullopt;
  }

  std::optional<Cause> repetition_timer(std::size_t index,
                                        std::optional<std::size_t> arrival) const {
    const PacketEvent& event = exchange_.events[index];
    const std::vector<RttEstimate> history = tcp_rtt_history(exchange_, event.from, event.sent_ns);
    const RttEstimate& rtt = history.back();
    if (arrival && rtt.minimum) {
      // RFC 8985 section 6.2: a quarter of the shortest round trip, and the kernel's tick.
      const Nanoseconds window = *rtt.minimum / 4 + milliseconds(5);
      if (!exchange_.events[*arrival].packet.tcp->sack.empty() &&
          since_arrival(*arrival, event) <= window)
        return from_arrival(CauseKind::kRackTimer, *arrival, event);
    }
    const auto sent = last_sent(index, [](const PacketEvent& candidate) {
      return candidate.packet.tcp && candidate.packet.ack_eliciting();
    });
    if (!sent) return std::nullopt;
    // Both timers start with what was sent last, or anew with an acknowledgement that came since. A
    // sample that comes while a timer runs need not move it.
    const bool renewed =
        arrival && *exchange_.events[*arrival].arrived_ns > exchange_.events[*sent].sent_ns;
    for (const RttEstimate& estimate : std::views::reverse(history))
      for (const bool by_arrival : {true, false}) {
        if (by_arrival && !renewed) continue;
        const auto cause = retransmission_cause(
            by_arrival ? since_arrival(*arrival, event) : since_sent(*sent, event), estimate);
        if (!cause) continue;
        return by_arrival ? from_arrival(cause->first, *arrival, event)
                          : from_sent(cause->first, *sent, event, cause->second);
      }
    return std::nullopt;
  }

  static std::optional<std::pair<CauseKind, int>> retransmission_cause(Nanoseconds wait,
                                                                       const RttEstimate& rtt) {
    const Nanoseconds rto = tcp_rto(rtt);
    for (int backoff = 0; backoff <= kMaxBackoff; ++backoff)
      if (on_timer_wheel(wait, rto * (1 << backoff))) return std::pair(CauseKind::kRto, backoff);
    // RFC 8985 section 7.2: two round trips; with one segment under way the time that its
    // acknowledgement may be delayed (Linux: 200 ms) on top.
    for (const Nanoseconds extra : {Nanoseconds(milliseconds(2)), Nanoseconds(milliseconds(200))})
      if (rtt.latest && on_timer_wheel(wait, 2 * rtt.smoothed + extra))
        return std::pair(CauseKind::kTailLossProbe, 0);
    return std::nullopt;
  }

  std::optional<Cause> quic_timer(std::size_t index, std::optional<std::size_t> arrival) const {
    const PacketEvent& event = exchange_.events[index];
    if (event.packet.quic.empty()) return std::nullopt;
    if (event.packet.ack_eliciting())
      if (const auto loss = loss_timer(index)) return loss;
    if (const auto probe = probe_timer(index, arrival)) return probe;
    constexpr Nanoseconds kLongestAckDelay = milliseconds(26);
    if (arrival && !event.packet.ack_eliciting() &&
        since_arrival(*arrival, event) <= kLongestAckDelay)
      return from_arrival(CauseKind::kQuicAckDelay, *arrival, event);
    return std::nullopt;
  }

  // How often the probe timeout had doubled, if `wait` is one. A sample that comes while the timer
  // runs need not move it, and an end may leave samples out, so any of its estimates will do; the
  // latest first.
  std::optional<int> probe_backoff(End end, std::int64_t since_ns, std::int64_t until_ns) const {
    constexpr Nanoseconds kMaxAckDelay = milliseconds(25);
    const Nanoseconds wait(until_ns - since_ns);
    for (const RttEstimate& estimate :
         std::views::reverse(quic_rtt_history(exchange_, end, until_ns)))
      for (int backoff = 0; backoff <= kMaxBackoff; ++backoff)
        for (const Nanoseconds extra : {Nanoseconds(0), kMaxAckDelay})
          if (fits(wait, (quic_pto(estimate) + extra) * (1 << backoff))) return backoff;
    return std::nullopt;
  }

  std::optional<Cause> probe_timer(std::size_t index, std::optional<std::size_t> arrival) const {
    const PacketEvent& event = exchange_.events[index];
    // From the last ack-eliciting packet, of whatever space; a client that has none under way
    // counts from what it received last (RFC 9002 section 6.2.2.1).
    for (std::size_t other = index; other-- > 0;) {
      const PacketEvent& candidate = exchange_.events[other];
      if (candidate.from != event.from || !candidate.packet.ack_eliciting()) continue;
      if (const auto backoff = probe_backoff(event.from, candidate.sent_ns, event.sent_ns))
        return from_sent(CauseKind::kPto, other, event, *backoff);
    }
    if (!arrival) return std::nullopt;
    const auto backoff =
        probe_backoff(event.from, *exchange_.events[*arrival].arrived_ns, event.sent_ns);
    if (!backoff) return std::nullopt;
    Cause cause = from_arrival(CauseKind::kPto, *arrival, event);
    cause.backoff = *backoff;
    return cause;
  }

  // A packet of ours that was passed by an acknowledged one is given up 9/8 round trips after it
  // was sent; the acknowledgement that showed the gap started the timer.
  std::optional<Cause> loss_timer(std::size_t index) const {
    const PacketEvent& event = exchange_.events[index];
    const RttEstimate rtt = quic_rtt_history(exchange_, event.from, event.sent_ns).back();
    if (!rtt.latest) return std::nullopt;
    const Nanoseconds threshold = std::max(rtt.smoothed, *rtt.latest) * 9 / 8;
    for (std::size_t other = index; other-- > 0;) {
      const PacketEvent& candidate = exchange_.events[other];
      if (candidate.from != event.from || !candidate.packet.ack_eliciting()) continue;
      if (!fits(since_sent(other, event), threshold)) continue;
      const auto arrival = last_arrival(index);
      if (arrival && *exchange_.events[*arrival].arrived_ns > candidate.sent_ns)
        return from_arrival(CauseKind::kLossTimer, *arrival, event);
    }
    return std::nullopt;
  }

  Cause otherwise(const PacketEvent& event, std::optional<std::size_t> arrival,
                  std::optional<std::size_t> previous) const {
    if (arrival && since_arrival(*arrival, event) <= kSoon)
      return from_arrival(CauseKind::kArrival, *arrival, event);
    const bool new_data = event.packet.protocol == Protocol::kDns || event.packet.has_new_data();
    const CauseKind kind = new_data ? CauseKind::kProcessing : CauseKind::kUnexplained;
    const bool arrival_is_later = arrival && (!previous || *exchange_.events[*arrival].arrived_ns >=
                                                               exchange_.events[*previous].sent_ns);
    return arrival_is_later ? from_arrival(kind, *arrival, event)
                            : from_sent(kind, *previous, event, 0);
  }

  const Exchange& exchange_;
  std::vector<Cause> causes_;  // of the events before the one that is looked at
};

}  // namespace

std::string_view to_string(CauseKind kind) {
  return names_of(kind).name;
}

std::string_view describe(CauseKind kind) {
  return names_of(kind).words;
}

bool is_timer(CauseKind kind) {
  return kind >= CauseKind::kSynTimeout && kind <= CauseKind::kQuicAckDelay;
}

std::vector<Cause> find_causes(const Exchange& exchange) {
  return CauseFinder(exchange).run();
}

}  // namespace analysis
