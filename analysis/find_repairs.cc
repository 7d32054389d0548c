#include "analysis/finding_detectors.hh"
#include "analysis/interval_set.hh"
#include "analysis/wording.hh"

#include <algorithm>
#include <array>
#include <chrono>
#include <format>
#include <map>
#include <optional>
#include <utility>

namespace analysis {
namespace {

using base::Nanoseconds;

struct TimerFinding {
  std::string_view id;
  std::array<CauseKind, 2> kinds;
};
constexpr std::array kTimers{
    TimerFinding{"syn-rto", {CauseKind::kSynTimeout, CauseKind::kSynAckTimeout}},
    TimerFinding{"tcp-rto", {CauseKind::kRto, CauseKind::kRto}},
    TimerFinding{"tcp-tlp", {CauseKind::kTailLossProbe, CauseKind::kTailLossProbe}},
    TimerFinding{"quic-pto", {CauseKind::kPto, CauseKind::kPto}},
};

// Of one kind of timer in one query; more are counted.
constexpr std::size_t kMostNamed = 3;

// A timer that fired sends one flight; its packets share the event that the time counts from.
void find_timers(const Inspection& inspection, std::vector<Finding>& findings) {
  const auto& events = inspection.exchange.events;
  const std::int64_t end_ns = inspection.answered_ns();
  for (const TimerFinding& timer : kTimers) {
    Finding finding{.id = timer.id, .packets = {}, .text = {}};
    std::string text;
    std::size_t waits = 0;
    std::optional<std::pair<std::size_t, bool>> base;
    for (std::size_t index = 0; index < inspection.causes.size(); ++index) {
      const Cause& cause = inspection.causes[index];
      if (!std::ranges::contains(timer.kinds, cause.kind) || !cause.since ||
          events[index].sent_ns > end_ns)
        continue;
      finding.packets.push_back(reference_to(events[index]));
      const std::pair now(*cause.since, cause.by_arrival);
      if (base == now) continue;
      base = now;
      if (++waits > kMostNamed) continue;
      const std::string what = timer_note(inspection.exchange, index, cause);
      text += std::format("{}the {} waited {}{}", text.empty() ? "" : "; ",
                          to_string(events[index].from), milliseconds_text(cause.wait),
                          what.empty() ? "" : std::format(" ({})", what));
    }
    if (finding.packets.empty()) continue;
    if (waits > kMostNamed)
      text +=
          std::format("; {} more wait{}", waits - kMostNamed, waits - kMostNamed == 1 ? "" : "s");
    finding.text = std::move(text);
    findings.push_back(std::move(finding));
  }
}

void find_lost_probes(const Inspection& inspection, std::vector<Finding>& findings) {
  Finding finding{.id = "pto-probe-lost", .packets = {}, .text = {}};
  for (std::size_t index = 0; index < inspection.causes.size(); ++index) {
    const PacketEvent& event = inspection.exchange.events[index];
    if (inspection.causes[index].kind == CauseKind::kPto && !event.useful() &&
        event.packet.ack_eliciting() && event.sent_ns <= inspection.answered_ns())
      finding.packets.push_back(reference_to(event));
  }
  if (finding.packets.empty()) return;
  finding.text = finding.packets.size() == 1
                     ? "a packet that a probe timeout sent was lost itself"
                     : std::format("{} packets that probe timeouts sent were lost themselves",
                                   finding.packets.size());
  findings.push_back(std::move(finding));
}

// One direction of one byte stream, as it arrived.
struct Arrivals {
  IntervalSet bytes;
  std::uint64_t contiguous = 0;
  const PacketEvent* waiting = nullptr;
  std::uint64_t waiting_until = 0;  // what must be there before its bytes can be used
};

class HeadOfLine {
 public:
  explicit HeadOfLine(const Exchange& exchange) : exchange_(exchange) {}

  void take(const PacketEvent& event) {
    // RFC 9000 section 17.2.5.2: after a Retry the client's CRYPTO data begins anew.
    if (event.packet.has_quic(QuicPacketType::kRetry))
      streams_.erase({event.conversation, End::kClient, StreamKind::kInitialCrypto, 0});
    for (const DataRange& range : event.packet.data) {
      if (range.begin == range.end) continue;
      Arrivals& arrivals = streams_[{event.conversation, event.from, range.kind, range.stream}];
      const bool ahead = arrivals.bytes.add(range.begin, range.end) > 0 &&
                         range.begin > arrivals.bytes.end_of(arrivals.contiguous);
      arrivals.contiguous = arrivals.bytes.end_of(arrivals.contiguous);
      if (arrivals.waiting != nullptr && arrivals.contiguous >= arrivals.waiting_until) {
        ended(event, arrivals);
        arrivals.waiting = nullptr;
      }
      if (ahead && arrivals.waiting == nullptr && overtook(event, range, arrivals.contiguous)) {
        arrivals.waiting = &event;
        arrivals.waiting_until = range.begin;
      }
    }
  }

  std::optional<Finding> longest() const { return longest_; }

 private:
  // Whether the missing byte had been sent before: senders may send a stream out of order.
  bool overtook(const PacketEvent& event, const DataRange& range, std::uint64_t missing) const {
    for (const PacketEvent& earlier : exchange_.events) {
      if (&earlier == &event) return false;
      if (earlier.from == event.from && earlier.conversation == event.conversation &&
          std::ranges::any_of(earlier.packet.data, [&](const DataRange& other) {
            return other.same_stream(range) && other.begin <= missing && missing < other.end;
          }))
        return true;
    }
    return false;
  }

  void ended(const PacketEvent& filler, const Arrivals& arrivals) {
    const Nanoseconds waited(*filler.arrived_ns - *arrivals.waiting->arrived_ns);
    if (waited < std::chrono::milliseconds(1) || (longest_ && waited <= longest_time_)) return;
    longest_time_ = waited;
    longest_ = Finding{
        .id = "head-of-line-wait",
        .packets = {reference_to(*arrivals.waiting), reference_to(filler)},
        .text = std::format("data of the {} was there for {} before what comes before it in its "
                            "stream",
                            to_string(filler.from), milliseconds_text(waited))};
  }

  const Exchange& exchange_;
  std::map<std::tuple<std::size_t, End, StreamKind, std::uint64_t>, Arrivals> streams_;
  std::optional<Finding> longest_;
  Nanoseconds longest_time_{0};
};

void find_head_of_line(const Inspection& inspection, std::vector<Finding>& findings) {
  std::vector<const PacketEvent*> arrived;
  for (const PacketEvent& event : inspection.exchange.events)
    if (event.useful() && *event.arrived_ns <= inspection.answered_ns()) arrived.push_back(&event);
  std::ranges::stable_sort(arrived, {},
                           [](const PacketEvent* event) { return *event->arrived_ns; });
  HeadOfLine line(inspection.exchange);
  for (const PacketEvent* event : arrived) line.take(*event);
  if (auto longest = line.longest()) findings.push_back(std::move(*longest));
}

}  // namespace

void find_repairs(const Inspection& inspection, std::vector<Finding>& findings) {
  find_timers(inspection, findings);
  find_lost_probes(inspection, findings);
  find_head_of_line(inspection, findings);
}

}  // namespace analysis
