#include "analysis/cause.hh"

#include "analysis/rtt_estimator.hh"
#include "analysis/timer_rules.hh"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
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
    Names{CauseKind::kGaveUp, "gave_up", "the client's own timeout"},
    Names{CauseKind::kUnexplained, "unexplained", "unexplained"},
};

const Names& names_of(CauseKind kind) {
  return *std::ranges::find(kNames, kind, &Names::kind);
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
    if (gave_up(event)) return from_sent(CauseKind::kGaveUp, 0, event);
    const std::optional<Cause> timer =
        event.packet.tcp ? tcp_timer(index, arrival) : quic_timer(index, arrival);
    if (timer) return *timer;
    return otherwise(event, arrival, previous);
  }

  bool gave_up(const PacketEvent& event) const {
    constexpr Nanoseconds kNear = milliseconds(5);
    return event.from == End::kClient && exchange_.client_timeout &&
           std::chrono::abs(since_sent(0, event) - *exchange_.client_timeout) <= kNear;
  }

  // How often a timer of these kinds may have fired by now: each flight that it sent, and once
  // more, because it may have fired in the very moment in which a packet arrived.
  int may_have_fired(std::size_t index, std::initializer_list<CauseKind> kinds) const {
    const PacketEvent& event = exchange_.events[index];
    int fired = 1;
    std::optional<std::int64_t> last_ns;
    for (std::size_t other = 0; other < index; ++other) {
      const PacketEvent& earlier = exchange_.events[other];
      if (earlier.from != event.from || earlier.conversation != event.conversation ||
          !std::ranges::contains(kinds, causes_[other].kind))
        continue;
      if (!last_ns || earlier.sent_ns - *last_ns > kAtOnce.count()) ++fired;
      last_ns = earlier.sent_ns;
    }
    return fired;
  }

  Nanoseconds since_arrival(std::size_t arrival, const PacketEvent& event) const {
    return Nanoseconds(event.sent_ns - *exchange_.events[arrival].arrived_ns);
  }
  Nanoseconds since_sent(std::size_t sent, const PacketEvent& event) const {
    return Nanoseconds(event.sent_ns - exchange_.events[sent].sent_ns);
  }

  // The latest of the other end's packets that had arrived by then. On a path without delay what a
  // packet led to leaves in the same instant; the order of the events keeps cause before effect.
  std::optional<std::size_t> last_arrival(std::size_t index) const {
    const PacketEvent& event = exchange_.events[index];
    std::optional<std::size_t> latest;
    for (std::size_t other = 0; other < index; ++other) {
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
  Cause from_sent(CauseKind kind, std::size_t sent, const PacketEvent& event) const {
    return {.kind = kind,
            .since = sent,
            .by_arrival = false,
            .wait = since_sent(sent, event),
            .backoff = 0};
  }
  static Cause with_timer(Cause cause, const TimerMatch& match) {
    cause.kind = match.kind;
    cause.backoff = match.backoff;
    cause.estimate = match.estimate;
    return cause;
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
    for (const PacketEvent* other : exchange_.all_events())
      if (other->from != event.from && other->conversation == event.conversation &&
          other->useful() && other->packet.tcp && *other->arrived_ns <= event.sent_ns)
        acknowledged = std::max(acknowledged, other->packet.tcp->acknowledged);
    return acknowledged;
  }

  std::optional<Cause> syn_timer(std::size_t index) const {
    const PacketEvent& event = exchange_.events[index];
    const auto base = last_sent(index, [&](const PacketEvent& sent) {
      return sent.conversation == event.conversation && sent.packet.tcp && sent.packet.tcp->syn;
    });
    if (!base) return std::nullopt;
    const CauseKind kind =
        event.packet.tcp->ack ? CauseKind::kSynAckTimeout : CauseKind::kSynTimeout;
    const auto backoff = match_syn_timeout(since_sent(*base, event), may_have_fired(index, {kind}));
    if (!backoff) return std::nullopt;
    return with_timer(from_sent(kind, *base, event), {.kind = kind, .backoff = *backoff});
  }

  std::optional<Cause> repetition_timer(std::size_t index,
                                        std::optional<std::size_t> arrival) const {
    const PacketEvent& event = exchange_.events[index];
    const std::vector<RttEstimate> history = tcp_rtt_history(
        exchange_, {.end = event.from, .conversation = event.conversation}, event.sent_ns);
    const RttEstimate& rtt = history.back();
    const bool same = arrival && exchange_.events[*arrival].conversation == event.conversation;
    if (same && rtt.minimum) {
      // RFC 8985 section 6.2: a quarter of the shortest round trip, and the kernel's tick.
      const Nanoseconds window = *rtt.minimum / 4 + milliseconds(5);
      if (!exchange_.events[*arrival].packet.tcp->sack.empty() &&
          since_arrival(*arrival, event) <= window)
        return from_arrival(CauseKind::kRackTimer, *arrival, event);
    }
    const auto sent = last_sent(index, [&](const PacketEvent& candidate) {
      return candidate.conversation == event.conversation && candidate.packet.ack_eliciting();
    });
    if (!sent) return std::nullopt;
    // Both timers start with what was sent last, or anew with an acknowledgement that came since.
    const int fired = may_have_fired(index, {CauseKind::kRto, CauseKind::kTailLossProbe});
    const bool renewed =
        same && *exchange_.events[*arrival].arrived_ns > exchange_.events[*sent].sent_ns;
    if (renewed)
      if (const auto match = match_retransmission(since_arrival(*arrival, event), history, fired))
        return with_timer(from_arrival(match->kind, *arrival, event), *match);
    if (const auto match = match_retransmission(since_sent(*sent, event), history, fired))
      return with_timer(from_sent(match->kind, *sent, event), *match);
    return std::nullopt;
  }

  std::optional<Cause> quic_timer(std::size_t index, std::optional<std::size_t> arrival) const {
    const PacketEvent& event = exchange_.events[index];
    if (event.packet.quic.empty()) return std::nullopt;
    const std::vector<RttEstimate> history = quic_rtt_history(
        exchange_, {.end = event.from, .conversation = event.conversation}, event.sent_ns);
    // A probe elicits an acknowledgement (RFC 9002 section 6.2.4), and so does what is repaired.
    if (event.packet.ack_eliciting()) {
      if (const auto loss = loss_timer(index, arrival, history)) return loss;
      if (const auto probe = probe_timer(index, arrival, history)) return probe;
    }
    constexpr Nanoseconds kLongestAckDelay = milliseconds(26);
    if (arrival && event.packet.data.empty() && since_arrival(*arrival, event) <= kLongestAckDelay)
      return from_arrival(CauseKind::kQuicAckDelay, *arrival, event);
    return std::nullopt;
  }

  // From the last ack-eliciting packet of a packet number space; a client that has none under way
  // counts from what it received last (RFC 9002 section 6.2.2.1).
  std::optional<Cause> probe_timer(std::size_t index, std::optional<std::size_t> arrival,
                                   const std::vector<RttEstimate>& history) const {
    const PacketEvent& event = exchange_.events[index];
    const int fired = may_have_fired(index, {CauseKind::kPto});
    for (std::size_t space = 0; space < kPacketNumberSpaces; ++space) {
      const auto base = last_sent(index, [&](const PacketEvent& sent) {
        return sent.conversation == event.conversation &&
               std::ranges::any_of(sent.packet.quic, [&](const QuicPacket& packet) {
                 return packet_number_space(packet.type) == space && packet.ack_eliciting();
               });
      });
      if (!base) continue;
      if (const auto match = match_probe_timeout(since_sent(*base, event), history, fired))
        return with_timer(from_sent(CauseKind::kPto, *base, event), *match);
    }
    if (!arrival) return std::nullopt;
    const auto match = match_probe_timeout(since_arrival(*arrival, event), history, fired);
    if (!match) return std::nullopt;
    return with_timer(from_arrival(CauseKind::kPto, *arrival, event), *match);
  }

  // A packet of ours that was passed by an acknowledged one is given up 9/8 round trips after it
  // was sent; the acknowledgement that showed the gap started the timer.
  std::optional<Cause> loss_timer(std::size_t index, std::optional<std::size_t> arrival,
                                  const std::vector<RttEstimate>& history) const {
    if (!arrival) return std::nullopt;
    const PacketEvent& event = exchange_.events[index];
    for (std::size_t other = index; other-- > 0;) {
      const PacketEvent& candidate = exchange_.events[other];
      if (candidate.from == event.from && candidate.conversation == event.conversation &&
          candidate.packet.ack_eliciting() && is_loss_delay(since_sent(other, event), history) &&
          *exchange_.events[*arrival].arrived_ns > candidate.sent_ns)
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
                            : from_sent(kind, *previous, event);
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
