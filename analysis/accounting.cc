#include "analysis/accounting.hh"

#include "analysis/trip_kind.hh"
#include "analysis/wording.hh"

#include <algorithm>
#include <array>
#include <chrono>
#include <format>
#include <optional>
#include <utility>

namespace analysis {
namespace {

using base::Nanoseconds;
using captures::SumPart;
using Kind = ChainStep::Kind;

// Shorter waits are the program's reaction, not a cause of their own.
constexpr Nanoseconds kWorthNaming = std::chrono::milliseconds(1);

// Over HTTP/3 an answer is complete with its stream's FIN, which may come alone (RFC 9114 section
// 4.1).
bool carries_answer(const DecodedPacket& packet) {
  return packet.carries(MessageKind::kDnsAnswer) ||
         std::ranges::any_of(packet.data, [](const DataRange& range) {
           return range.kind == StreamKind::kQuicStream && range.fin && range.stream % 4 == 0;
         });
}

// The packet that completed the answer: the last to arrive by then, of those that carry a DNS
// answer if any does, or the one that made it readable.
std::optional<std::size_t> completing_event(const Exchange& exchange, std::int64_t answered_ns) {
  const auto latest = [&](auto condition) {
    std::optional<std::size_t> found;
    for (std::size_t index = 0; index < exchange.events.size(); ++index) {
      const PacketEvent& event = exchange.events[index];
      if (event.from != End::kServer || !event.useful() || *event.arrived_ns > answered_ns ||
          !condition(event))
        continue;
      if (!found || *event.arrived_ns > *exchange.events[*found].arrived_ns) found = index;
    }
    return found;
  };
  const auto answer = latest([](const PacketEvent& event) { return carries_answer(event.packet); });
  if (!answer) return latest([](const PacketEvent&) { return true; });
  const auto waited = [&](std::size_t index) {
    return Nanoseconds(answered_ns - *exchange.events[index].arrived_ns);
  };
  if (waited(*answer) <= kWorthNaming) return answer;
  // An answer to early data may come before what it is to be decrypted with (RFC 9001 section 5.7).
  const auto handshake =
      latest([](const PacketEvent& event) { return event.packet.carries_handshake(); });
  const bool opened_it = handshake && waited(*handshake) <= kWorthNaming;
  return opened_it ? handshake : answer;
}

class ChainWalker {
 public:
  ChainWalker(const Exchange& exchange, std::span<const Cause> causes)
      : exchange_(exchange), causes_(causes) {}

  // The steps from the query's first packet to the arrival of `last`, in the order of time.
  std::vector<ChainStep> walk(std::size_t last) {
    add_flight(last);
    std::size_t at = last;
    // Every step goes back in time, or to an event before.
    for (std::size_t steps = 0; steps < 4 * exchange_.events.size(); ++steps) {
      const Cause& cause = causes_[at];
      const PacketEvent& event = exchange_.events[at];
      if (!cause.since) break;
      if (cause.wait > Nanoseconds(0))
        steps_.push_back({.kind = Kind::kWait,
                          .at = event.from,
                          .event = at,
                          .cause = cause.kind,
                          .time = cause.wait});
      at = *cause.since;
      if (cause.by_arrival) add_flight(at);
    }
    std::ranges::reverse(steps_);
    return std::move(steps_);
  }

 private:
  void add_flight(std::size_t index) {
    const PacketEvent& event = exchange_.events[index];
    const Nanoseconds took(*event.arrived_ns - event.sent_ns);
    const Nanoseconds least = exchange_.delay_from(event.from);
    constexpr Nanoseconds kSameAsLeast = std::chrono::microseconds(50);
    const bool queued = least > Nanoseconds(0) && took > least + kSameAsLeast;
    if (queued)
      steps_.push_back({.kind = Kind::kQueue,
                        .at = event.from,
                        .event = index,
                        .cause = {},
                        .time = took - least});
    steps_.push_back({.kind = Kind::kFlight,
                      .at = event.from,
                      .event = index,
                      .cause = {},
                      .time = queued ? least : took});
  }

  const Exchange& exchange_;
  std::span<const Cause> causes_;
  std::vector<ChainStep> steps_;
};

// Groups a chain into the parts of the sum.
class Summation {
 public:
  Summation(const Exchange& exchange, std::span<const Cause> causes,
            const std::vector<ChainStep>& chain)
      : exchange_(exchange), causes_(causes), chain_(chain) {}

  Explanation run(Nanoseconds total) {
    Nanoseconds named{0};
    for (std::size_t index = 0; index < chain_.size(); ++index) {
      const ChainStep& step = chain_[index];
      named += step.time;
      if (step.kind == Kind::kFlight) {
        take_flight(index);
      } else if (step.kind == Kind::kQueue) {
        queue_ += step.time;
      } else {
        take_wait(step);
      }
    }
    if (queue_ > Nanoseconds(0)) add({.what = "queue", .time = queue_, .at = {}, .note = {}});
    // Before the first packet and after the last: the client's program, whose work may be free.
    const Nanoseconds rest = total - named;
    const bool strange = exchange_.work_is_free && rest > kWorthNaming;
    (strange ? result_.unexplained : work_.at(0)) += rest;
    for (const End end : {End::kClient, End::kServer})
      if (const Nanoseconds time = work_.at(static_cast<std::size_t>(end)); time != Nanoseconds(0))
        add({.what = "work", .time = time, .at = std::string(to_string(end)), .note = {}});
    result_.complete = result_.unexplained == Nanoseconds(0);
    return std::move(result_);
  }

 private:
  void add(SumPart part) { result_.sum.push_back(std::move(part)); }

  void take_wait(const ChainStep& step) {
    Nanoseconds& work = work_.at(static_cast<std::size_t>(step.at));
    const bool nothing_fits = step.cause == CauseKind::kUnexplained ||
                              (step.cause == CauseKind::kProcessing && exchange_.work_is_free);
    if (nothing_fits && step.time > kWorthNaming) {
      result_.unexplained += step.time;
    } else if (is_timer(step.cause)) {
      add({.what = std::string(to_string(step.cause)),
           .time = step.time,
           .at = std::string(to_string(step.at)),
           .note = timer_note(exchange_, step.event, causes_[step.event])});
    } else {
      work += step.time;
    }
  }

  // Flights alternate, from the client first: two make a round trip.
  void take_flight(std::size_t index) {
    const ChainStep& step = chain_[index];
    if (step.at == End::kClient) {
      outbound_ = index;
      return;
    }
    const std::size_t answer = step.event;
    if (!outbound_) {
      add({.what = std::string(to_string(TripKind::kOther)),
           .time = step.time,
           .at = {},
           .note = {}});
      return;
    }
    const ChainStep& request = chain_[*outbound_];
    const TripKind kind = trip_kind(exchange_, request.event, answer);
    add({.what = std::string(to_string(kind)),
         .time = request.time + step.time,
         .at = {},
         .note = kind == TripKind::kAmplificationStall ? stall_note(exchange_, request.event)
                                                       : std::string()});
    outbound_.reset();
  }

  const Exchange& exchange_;
  std::span<const Cause> causes_;
  const std::vector<ChainStep>& chain_;
  Explanation result_;
  std::optional<std::size_t> outbound_;
  Nanoseconds queue_{0};
  std::array<Nanoseconds, 2> work_{};
};

std::optional<std::size_t> first_of_client(const Exchange& exchange) {
  const auto first = std::ranges::find(exchange.events, End::kClient, &PacketEvent::from);
  if (first == exchange.events.end()) return std::nullopt;
  return static_cast<std::size_t>(first - exchange.events.begin());
}

// The record's clock and the captures' are different ones; the first packet leaves at the start but
// for the making of a socket.
std::optional<std::size_t> completing_event_within(const Exchange& exchange, std::size_t first,
                                                   Nanoseconds time) {
  constexpr Nanoseconds kSocketMade = std::chrono::microseconds(50);
  return completing_event(exchange, exchange.events[first].sent_ns + (time + kSocketMade).count());
}

}  // namespace

std::optional<Nanoseconds> observed_time(const Exchange& exchange, Nanoseconds time) {
  const auto first = first_of_client(exchange);
  if (!first) return std::nullopt;
  const auto last = completing_event_within(exchange, *first, time);
  if (!last) return std::nullopt;
  return Nanoseconds(*exchange.events[*last].arrived_ns - exchange.events[*first].sent_ns);
}

Explanation explain(const Exchange& exchange, std::span<const Cause> causes,
                    const captures::QueryRecord& record) {
  const auto first = first_of_client(exchange);
  if (!record.time || !first) return explain_failure(exchange, record);
  const auto last = completing_event_within(exchange, *first, *record.time);
  if (!last) {
    Explanation nothing;
    nothing.unexplained = *record.time;
    nothing.text = "no packet of the server arrived before the answer";
    return nothing;
  }
  const std::vector<ChainStep> chain = ChainWalker(exchange, causes).walk(*last);
  Explanation result = Summation(exchange, causes, chain).run(*record.time);
  result.chain = chain;
  result.text = sum_text(*record.time, result);
  return result;
}

}  // namespace analysis
