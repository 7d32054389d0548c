#include "analysis/rtt_estimator.hh"

#include "analysis/interval_set.hh"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

namespace analysis {
namespace {

using base::Nanoseconds;
using std::chrono::milliseconds;

constexpr Nanoseconds kGranularity = milliseconds(1);  // RFC 9002 section 6.1.2
constexpr int kAckDelayExponent = 3;                   // the default of RFC 9000 section 18.2

// What the sender hears until then, in the order of arrival.
std::vector<const PacketEvent*> heard(const Exchange& exchange, const Sender& sender,
                                      std::int64_t until_ns) {
  std::vector<const PacketEvent*> arrivals;
  for (const PacketEvent* event : exchange.all_events())
    if (sender.hears(*event) && *event->arrived_ns <= until_ns) arrivals.push_back(event);
  std::ranges::stable_sort(arrivals, {},
                           [](const PacketEvent* event) { return *event->arrived_ns; });
  return arrivals;
}

// What one end learns from the acknowledgements that reach it.
class QuicObserver {
 public:
  QuicObserver(const Exchange& exchange, Sender sender)
      : exchange_(exchange), events_(exchange.all_events()), sender_(sender) {
    const Nanoseconds initial = exchange.initial_rtt(sender.end);
    history_.push_back(
        {.smoothed = initial, .variation = initial / 2, .latest = {}, .minimum = {}});
  }

  std::vector<RttEstimate> until(std::int64_t at_ns) {
    for (const PacketEvent* event : heard(exchange_, sender_, at_ns))
      for (const QuicPacket& packet : event->packet.quic) take(packet, *event->arrived_ns);
    return std::move(history_);
  }

 private:
  void take(const QuicPacket& packet, std::int64_t now_ns) {
    const std::size_t space = packet_number_space(packet.type);
    for (const QuicFrame& frame : packet.frames) {
      if (frame.type != quic_frame::kAck && frame.type != quic_frame::kAckEcn) continue;
      const std::uint64_t largest = frame.ranges.front().largest;
      // RFC 9002 section 5.1: only a newly acknowledged largest packet gives a sample.
      if (!acknowledged_.at(space).insert(largest).second) continue;
      const auto sent_ns = send_time(space, largest);
      if (!sent_ns || *sent_ns > now_ns) continue;
      // RFC 9002 section 5.3: acknowledgements of Initial packets are not delayed on purpose.
      constexpr Nanoseconds kMaxAckDelay = milliseconds(25);
      constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 20U;
      const Nanoseconds delay =
          std::chrono::microseconds(std::min(frame.ack_delay, kMostCounted) << kAckDelayExponent);
      RttEstimate estimate = history_.back();
      estimate.add_sample(Nanoseconds(now_ns - *sent_ns),
                          space == 2 ? std::min(delay, kMaxAckDelay) : Nanoseconds(0));
      history_.push_back(estimate);
    }
  }

  // Of an ack-eliciting packet of ours.
  std::optional<std::int64_t> send_time(std::size_t space, std::uint64_t number) const {
    for (const PacketEvent* event : events_) {
      if (!sender_.sent(*event)) continue;
      for (const QuicPacket& packet : event->packet.quic)
        if (packet.number == number && packet_number_space(packet.type) == space)
          return packet.ack_eliciting() ? std::optional(event->sent_ns) : std::nullopt;
    }
    return std::nullopt;
  }

  const Exchange& exchange_;
  std::vector<const PacketEvent*> events_;
  Sender sender_;
  std::vector<RttEstimate> history_;
  std::array<std::set<std::uint64_t>, kPacketNumberSpaces> acknowledged_;
};

// The same for TCP, as Linux samples: from the first segment that an acknowledgement covers for the
// first time, cumulatively or selectively, unless it had been sent twice; then the timestamp that
// comes back tells (RFC 7323).
class TcpObserver {
 public:
  TcpObserver(const Exchange& exchange, Sender sender)
      : exchange_(exchange), events_(exchange.all_events()), sender_(sender) {}

  std::vector<RttEstimate> until(std::int64_t at_ns) {
    for (const PacketEvent* event : heard(exchange_, sender_, at_ns))
      if (event->packet.tcp && event->packet.tcp->ack) take(*event);
    return std::move(history_);
  }

 private:
  void take(const PacketEvent& ack) {
    if (!handshake_sampled_) {
      handshake_sampled_ = true;
      sample_since(handshake_send_time(ack), ack);
      return;
    }
    std::optional<std::int64_t> first_ns;
    bool repeated = false;
    IntervalSet now = covered_;
    now.add(0, ack.packet.tcp->acknowledged);
    for (const SackBlock& block : ack.packet.tcp->sack) now.add(block.begin, block.end);
    for (const PacketEvent* sent : events_) {
      if (!carries_data(*sent) || sent->sent_ns >= *ack.arrived_ns) continue;
      const std::uint64_t last = sent->packet.tcp->end - 1;
      if (covered_.end_of(last) > last || now.end_of(last) == last) continue;
      repeated = repeated || sent->packet.data.front().again;
      first_ns = std::min(first_ns.value_or(sent->sent_ns), sent->sent_ns);
    }
    covered_ = std::move(now);
    if (repeated) first_ns = echoed_send_time(ack);
    sample_since(first_ns, ack);
  }

  bool carries_data(const PacketEvent& event) const {
    return sender_.sent(event) && event.packet.tcp &&
           event.packet.tcp->end > event.packet.tcp->begin;
  }

  // Of the latest of our segments that had reached the other end.
  std::optional<std::int64_t> echoed_send_time(const PacketEvent& ack) const {
    std::optional<std::int64_t> latest;
    for (const PacketEvent* sent : events_)
      if (carries_data(*sent) && sent->useful() && *sent->arrived_ns <= ack.sent_ns)
        latest = sent->sent_ns;
    return latest;
  }

  // A server's SYN-ACK returns the timestamp of the first SYN that it saw, a client's ACK that of
  // the last SYN-ACK.
  std::optional<std::int64_t> handshake_send_time(const PacketEvent& ack) const {
    std::optional<std::int64_t> found;
    for (const PacketEvent* sent : events_) {
      if (!sender_.sent(*sent) || !sent->packet.tcp || !sent->packet.tcp->syn || !sent->useful() ||
          *sent->arrived_ns > ack.sent_ns)
        continue;
      if (!found || sender_.end == End::kServer) found = sent->sent_ns;
    }
    return found;
  }

  void sample_since(std::optional<std::int64_t> sent_ns, const PacketEvent& ack) {
    if (!sent_ns) return;
    RttEstimate estimate = history_.back();
    estimate.add_sample(Nanoseconds(*ack.arrived_ns - *sent_ns), Nanoseconds(0));
    history_.push_back(estimate);
  }

  const Exchange& exchange_;
  std::vector<const PacketEvent*> events_;
  Sender sender_;
  std::vector<RttEstimate> history_{RttEstimate{}};
  IntervalSet covered_;
  bool handshake_sampled_ = false;
};

}  // namespace

void RttEstimate::add_sample(Nanoseconds sample, Nanoseconds ack_delay) {
  latest = sample;
  if (!minimum) {
    minimum = sample;
    smoothed = sample;
    variation = sample / 2;
    return;
  }
  minimum = std::min(*minimum, sample);
  const Nanoseconds adjusted = sample >= *minimum + ack_delay ? sample - ack_delay : sample;
  const Nanoseconds deviation = std::chrono::abs(smoothed - adjusted);
  variation = (3 * variation + deviation) / 4;
  smoothed = (7 * smoothed + adjusted) / 8;
}

std::vector<RttEstimate> quic_rtt_history(const Exchange& exchange, Sender sender,
                                          std::int64_t at_ns) {
  return QuicObserver(exchange, sender).until(at_ns);
}

Nanoseconds quic_pto(const RttEstimate& estimate) {
  return estimate.smoothed + std::max(4 * estimate.variation, kGranularity);
}

std::vector<RttEstimate> tcp_rtt_history(const Exchange& exchange, Sender sender,
                                         std::int64_t at_ns) {
  return TcpObserver(exchange, sender).until(at_ns);
}

Nanoseconds tcp_rto(const RttEstimate& estimate) {
  if (!estimate.latest) return milliseconds(1000);
  return estimate.smoothed + std::max<Nanoseconds>(4 * estimate.variation, milliseconds(200));
}

}  // namespace analysis
