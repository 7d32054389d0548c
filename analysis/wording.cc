#include "analysis/wording.hh"

#include "analysis/amplification.hh"
#include "analysis/trip_kind.hh"
#include "base/text.hh"

#include <algorithm>
#include <format>
#include <ranges>
#include <vector>

namespace analysis {
namespace {

using base::Nanoseconds;
using captures::SumPart;

// Neighbouring parts of one message as one.
std::vector<MessagePart> merged(std::vector<MessagePart> parts) {
  std::ranges::stable_sort(
      parts, {}, [](const MessagePart& part) { return std::pair(part.kind, part.offset); });
  std::vector<MessagePart> result;
  for (const MessagePart& part : parts) {
    if (!result.empty() && result.back().kind == part.kind && result.back().total == part.total &&
        result.back().offset + result.back().length >= part.offset) {
      result.back().length =
          std::max(result.back().offset + result.back().length, part.offset + part.length) -
          result.back().offset;
    } else {
      result.push_back(part);
    }
  }
  return result;
}

std::vector<std::string> message_words(const DecodedPacket& packet) {
  std::vector<std::string> words;
  for (const MessagePart& part : merged(packet.messages)) {
    std::string word(to_string(part.kind));
    if (!part.whole())
      word += std::format(" {}-{} of {}", part.offset + 1, part.offset + part.length, part.total);
    if (words.empty() || words.back() != word) words.push_back(std::move(word));
  }
  if (std::ranges::any_of(packet.dns, &DnsFacts::truncated)) words.emplace_back("truncated");
  return words;
}

std::string ranges_text(const QuicFrame& frame) {
  std::string text;
  for (const AckRange& range : frame.ranges)
    text += std::format("{}{}", text.empty() ? "" : ",",
                        range.smallest == range.largest
                            ? std::to_string(range.largest)
                            : std::format("{}-{}", range.smallest, range.largest));
  return text;
}

std::string frame_words(const QuicFrame& frame) {
  std::string name = frame_name(frame.type);
  switch (frame.type) {
    case quic_frame::kAck:
    case quic_frame::kAckEcn:
      return std::format("{} {}", name, ranges_text(frame));
    case quic_frame::kCrypto:
      return std::format("{} {}-{}", name, frame.offset, frame.offset + frame.length);
    case quic_frame::kStream:
      return std::format("{} {} {}-{}{}", name, frame.stream, frame.offset,
                         frame.offset + frame.length, frame.fin ? " FIN" : "");
    case quic_frame::kConnectionClose:
    case quic_frame::kApplicationClose:
      return std::format("{} {:#x}", name, frame.error_code);
    default:
      return name;
  }
}

std::string quic_words(const QuicPacket& packet, Details details) {
  std::string text(to_string(packet.type));
  if (packet.number) text += std::format(" {}", *packet.number);
  if (!packet.undecrypted.empty()) return text + " (encrypted)";
  std::vector<std::string> words;
  for (const QuicFrame& frame : packet.frames) {
    if (frame.type == quic_frame::kPadding) continue;
    const bool plain = frame.type == quic_frame::kCrypto || frame.type == quic_frame::kStream;
    std::string word = details == Details::kAll ? frame_words(frame) : frame_name(frame.type);
    if (details == Details::kShort && plain) continue;
    if (!std::ranges::contains(words, word)) words.push_back(std::move(word));
  }
  return words.empty() ? text : std::format("{} {}", text, base::joined(words, ", "));
}

std::string tcp_words(const TcpSegment& segment, Details details) {
  std::vector<std::string> flags;
  if (segment.syn) flags.emplace_back(segment.ack ? "SYN-ACK" : "SYN");
  if (segment.fin) flags.emplace_back("FIN");
  if (segment.rst) flags.emplace_back("RST");
  if (flags.empty() && segment.begin == segment.end) flags.emplace_back("ACK");
  if (details == Details::kAll || flags.empty()) {
    if (segment.begin != segment.end)
      flags.push_back(std::format("bytes {}-{}", segment.begin, segment.end));
    if (details == Details::kAll && segment.ack && !segment.syn)
      flags.push_back(std::format("ack {}", segment.acknowledged));
  }
  for (const SackBlock& block : segment.sack)
    flags.push_back(std::format("SACK {}-{}", block.begin, block.end));
  return base::joined(flags, " ");
}

std::string event_words(const PacketEvent& event) {
  return std::format("{} {}", to_string(event.from),
                     describe_packet(event.packet, Details::kShort));
}

bool repeats(const DecodedPacket& later, const DecodedPacket& earlier) {
  if (later.tcp && earlier.tcp && later.tcp->syn && earlier.tcp->syn) return true;
  return std::ranges::any_of(later.data, [&](const DataRange& range) {
    return std::ranges::any_of(earlier.data,
                               [&](const DataRange& other) { return range.overlaps(other); });
  });
}

// The losses that the timer's owner had to notice: its own since the timer began, the repeated ones
// first, otherwise its peer's since then. A timer that an arrival began looks further back.
std::vector<std::size_t> losses_behind(const Exchange& exchange, std::size_t index,
                                       const Cause& cause) {
  const PacketEvent& event = exchange.events[index];
  const PacketEvent& base = exchange.events[*cause.since];
  const std::int64_t since_ns = cause.by_arrival ? *base.arrived_ns : base.sent_ns;
  std::vector<std::size_t> repeated;
  std::vector<std::size_t> own;
  std::vector<std::size_t> of_peer;
  for (std::size_t other = 0; other < index; ++other) {
    const PacketEvent& candidate = exchange.events[other];
    if (candidate.useful() || candidate.conversation != event.conversation) continue;
    const bool recent = candidate.sent_ns >= since_ns;
    if (candidate.from != event.from) {
      if (recent) of_peer.push_back(other);
    } else if (repeats(event.packet, candidate.packet) && (recent || cause.by_arrival)) {
      repeated.push_back(other);
    } else if (recent && candidate.packet.ack_eliciting()) {
      own.push_back(other);
    }
  }
  if (!repeated.empty()) return repeated;
  return own.empty() ? of_peer : own;
}

std::string losses_text(const Exchange& exchange, std::vector<std::size_t> lost) {
  constexpr std::size_t kMostNamed = 2;
  if (lost.empty()) return {};
  const std::size_t more = lost.size() > kMostNamed ? lost.size() - kMostNamed : 0;
  lost.resize(lost.size() - more);
  std::vector<std::string> words;
  words.reserve(lost.size());
  for (const std::size_t index : lost) words.push_back(event_words(exchange.events[index]));
  return base::joined(words, " and ") + (more > 0 ? std::format(" and {} more", more) : "") +
         " lost";
}

std::string estimate_text(const Exchange& exchange, const Cause& cause) {
  const Nanoseconds path = exchange.delay_from_client + exchange.delay_from_server;
  if (!cause.estimate || path <= Nanoseconds(0) || *cause.estimate <= path * 3 / 2) return {};
  return std::format("it took the round trip for {}", milliseconds_text(*cause.estimate));
}

// A packet that the query needed and that nothing made good in time: the first one.
std::optional<std::size_t> fatal_loss(const Exchange& exchange, std::int64_t deadline_ns) {
  for (std::size_t index = 0; index < exchange.events.size(); ++index) {
    const PacketEvent& lost = exchange.events[index];
    if (lost.sent_ns > deadline_ns) break;
    const bool matters = !lost.packet.data.empty() || lost.packet.protocol == Protocol::kDns ||
                         (lost.packet.tcp && lost.packet.tcp->syn) ||
                         lost.packet.has_quic(QuicPacketType::kRetry);
    if (lost.useful() || !matters) continue;
    const bool made_good = std::ranges::any_of(exchange.events, [&](const PacketEvent& other) {
      if (other.from != lost.from || other.conversation != lost.conversation || !other.useful() ||
          *other.arrived_ns > deadline_ns)
        return false;
      return repeats(other.packet, lost.packet) ||
             (lost.packet.has_quic(QuicPacketType::kRetry) && other.sent_ns > lost.sent_ns);
    });
    if (!made_good) return index;
  }
  return std::nullopt;
}

// A whole answer that came when nobody waited any more.
std::optional<std::size_t> late_answer(const Exchange& exchange, std::int64_t deadline_ns) {
  for (std::size_t index = 0; index < exchange.events.size(); ++index)
    if (exchange.events[index].packet.completes_answer() && exchange.events[index].useful() &&
        *exchange.events[index].arrived_ns > deadline_ns)
      return index;
  return std::nullopt;
}

}  // namespace

std::string describe_packet(const DecodedPacket& packet, Details details) {
  std::vector<std::string> words;
  if (packet.tcp) words.push_back(tcp_words(*packet.tcp, details));
  for (const QuicPacket& quic : packet.quic) words.push_back(quic_words(quic, details));
  std::string text = base::joined(words, " + ");
  if (packet.protocol == Protocol::kIcmp) text = "ICMP";
  const auto messages = message_words(packet);
  if (!messages.empty())
    text += std::format("{}[{}]", text.empty() ? "" : " ", base::joined(messages, ", "));
  return text.empty() ? std::format("{} bytes", packet.payload_bytes) : text;
}

std::string_view part_words(std::string_view what) {
  for (int kind = 0; kind <= static_cast<int>(TripKind::kOther); ++kind)
    if (to_string(TripKind{static_cast<std::uint8_t>(kind)}) == what)
      return describe(TripKind{static_cast<std::uint8_t>(kind)});
  for (int kind = 0; kind <= static_cast<int>(CauseKind::kUnexplained); ++kind)
    if (to_string(CauseKind{static_cast<std::uint8_t>(kind)}) == what)
      return describe(CauseKind{static_cast<std::uint8_t>(kind)});
  if (what == "queue") return "beyond the path's shortest delay: rate, jitter";
  return what;
}

std::string milliseconds_text(Nanoseconds time) {
  return std::format("{:.1f} ms", static_cast<double>(time.count()) / 1e6);
}

std::string timer_note(const Exchange& exchange, std::size_t index, const Cause& cause) {
  if (cause.kind == CauseKind::kTcpDelayedAck || cause.kind == CauseKind::kQuicAckDelay ||
      cause.kind == CauseKind::kGaveUp || !cause.since)
    return {};
  std::string note = losses_text(exchange, losses_behind(exchange, index, cause));
  if (const std::string estimate = estimate_text(exchange, cause); !estimate.empty())
    note += (note.empty() ? "" : "; ") + estimate;
  return note;
}

std::string stall_note(const Exchange& exchange, std::size_t request) {
  const PacketEvent& event = exchange.events[request];
  const auto budget =
      AmplificationLedger(exchange, event.conversation).before(event.arrived_ns.value_or(0));
  const std::uint64_t wanted = flight_bytes(exchange, event.conversation);
  if (wanted <= budget.allowed())
    return std::format("{} of {} bytes of budget spent", budget.sent, budget.allowed());
  return std::format("{} bytes to send, {} allowed, {} short", wanted, budget.allowed(),
                     wanted - budget.allowed());
}

std::string sum_text(Nanoseconds total, const Explanation& explanation) {
  std::vector<std::string> trips;
  std::vector<std::string> terms;
  for (const SumPart& part : explanation.sum) {
    if (is_round_trip(part.what)) {
      std::string word(part_words(part.what));
      if (!part.note.empty()) word += std::format(": {}", part.note);
      trips.push_back(std::move(word));
    } else if (part.what != "work" || part.time >= std::chrono::milliseconds(1)) {
      std::string term = milliseconds_text(part.time);
      if (!part.at.empty()) term += std::format(" {}", part.at);
      term += std::format(" {}", part_words(part.what));
      if (!part.note.empty()) term += std::format(" ({})", part.note);
      terms.push_back(std::move(term));
    }
  }
  if (!trips.empty())
    terms.insert(terms.begin(),
                 std::format("{} RTT ({})", trips.size(), base::joined(trips, ", ")));
  if (explanation.unexplained > Nanoseconds(0))
    terms.push_back(milliseconds_text(explanation.unexplained) + " unexplained");
  return std::format("{} = {}", milliseconds_text(total), base::joined(terms, " + "));
}

Explanation explain_failure(const Exchange& exchange, const captures::QueryRecord& record) {
  Explanation result;
  // Who measured may know more than the packets show: that the server ended.
  const bool stopped = record.outcome == captures::Outcome::kNoAnswer && record.error;
  const std::string ending = stopped ? "no answer in time (" + *record.error + ")"
                             : record.outcome == captures::Outcome::kNoAnswer
                                 ? "no answer in time"
                                 : record.error.value_or("failed");
  if (exchange.events.empty()) {
    result.text = ending + ": no packet was sent";
    return result;
  }
  if (stopped) {
    result.text = ending;
    result.complete = true;
    return result;
  }
  const std::int64_t deadline_ns = deadline_of(exchange);
  if (const auto late = late_answer(exchange, deadline_ns)) {
    result.text = std::format("{}: it arrived {} after the first packet", ending,
                              milliseconds_text(Nanoseconds(*exchange.events[*late].arrived_ns -
                                                            exchange.events.front().sent_ns)));
    result.complete = true;
  } else if (const auto fatal = fatal_loss(exchange, deadline_ns)) {
    const auto count = std::ranges::count_if(exchange.events, [&](const PacketEvent& packet) {
      return !packet.useful() && packet.sent_ns <= deadline_ns;
    });
    result.text = std::format("{}: {} lost and never made good{}", ending,
                              event_words(exchange.events[*fatal]),
                              count > 1 ? std::format(", one of {} losses", count) : "");
    result.complete = true;
  } else {
    result.text = std::format("{}, and no loss explains it; last packet: {}", ending,
                              event_words(exchange.events.back()));
  }
  return result;
}

}  // namespace analysis
