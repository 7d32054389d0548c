#include "analysis/wording.hh"

#include "analysis/trip_kind.hh"

#include <algorithm>
#include <format>
#include <ranges>
#include <vector>

namespace analysis {
namespace {

using base::Nanoseconds;
using captures::SumPart;

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

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
  const std::string name = frame_name(frame.type);
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
  return words.empty() ? text : std::format("{} {}", text, joined(words, ", "));
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
  return joined(flags, " ");
}

std::string event_words(const PacketEvent& event) {
  return std::format("{} {}", to_string(event.from),
                     describe_packet(event.packet, Details::kShort));
}

std::optional<std::size_t> last_lost(const Exchange& exchange) {
  for (std::size_t index = exchange.events.size(); index-- > 0;)
    if (!exchange.events[index].useful()) return index;
  return std::nullopt;
}

std::optional<std::size_t> late_answer(const Exchange& exchange) {
  for (std::size_t index = 0; index < exchange.events.size(); ++index) {
    const PacketEvent& event = exchange.events[index];
    if (event.from == End::kServer && event.useful() &&
        event.packet.carries(MessageKind::kDnsAnswer))
      return index;
  }
  return std::nullopt;
}

}  // namespace

std::string describe_packet(const DecodedPacket& packet, Details details) {
  std::vector<std::string> words;
  if (packet.tcp) words.push_back(tcp_words(*packet.tcp, details));
  for (const QuicPacket& quic : packet.quic) words.push_back(quic_words(quic, details));
  std::string text = joined(words, " + ");
  if (packet.protocol == Protocol::kIcmp) text = "ICMP";
  const auto messages = message_words(packet);
  if (!messages.empty())
    text += std::format("{}[{}]", text.empty() ? "" : " ", joined(messages, ", "));
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

std::string repaired(const Exchange& exchange, std::size_t index) {
  const PacketEvent& event = exchange.events[index];
  std::vector<std::string> lost;
  const auto add = [&](const PacketEvent& candidate) { lost.push_back(event_words(candidate)); };
  // First what this packet repeats, then whatever else its sender or its peer had lost by then.
  for (std::size_t other = 0; other < index; ++other) {
    const PacketEvent& candidate = exchange.events[other];
    if (candidate.from != event.from || candidate.useful()) continue;
    const bool repeated = std::ranges::any_of(event.packet.data, [&](const DataRange& range) {
      return std::ranges::any_of(candidate.packet.data,
                                 [&](const DataRange& earlier) { return range.overlaps(earlier); });
    });
    const bool syn = event.packet.tcp && event.packet.tcp->syn && candidate.packet.tcp &&
                     candidate.packet.tcp->syn;
    if (repeated || syn) add(candidate);
  }
  if (lost.empty())
    for (std::size_t other = 0; other < index; ++other)
      if (!exchange.events[other].useful()) add(exchange.events[other]);
  constexpr std::size_t kMostNamed = 2;
  if (lost.empty()) return {};
  const std::size_t more = lost.size() > kMostNamed ? lost.size() - kMostNamed : 0;
  lost.resize(lost.size() - more);
  return joined(lost, " and ") + (more > 0 ? std::format(" and {} more", more) : "") + " lost";
}

std::string stall_note(const Exchange& exchange, std::size_t request) {
  const PacketEvent& event = exchange.events[request];
  const auto budget =
      amplification_budget(exchange, event.conversation, event.arrived_ns.value_or(0));
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
    terms.insert(terms.begin(), std::format("{} RTT ({})", trips.size(), joined(trips, ", ")));
  if (explanation.unexplained > Nanoseconds(0))
    terms.push_back(milliseconds_text(explanation.unexplained) + " unexplained");
  return std::format("{} = {}", milliseconds_text(total), joined(terms, " + "));
}

Explanation explain_failure(const Exchange& exchange, const captures::QueryRecord& record) {
  Explanation result;
  const std::string ending = record.outcome == captures::Outcome::kNoAnswer
                                 ? "no answer in time"
                                 : record.error.value_or("failed");
  const auto lost = last_lost(exchange);
  if (exchange.events.empty()) {
    result.text = ending + ": no packet was sent";
    return result;
  }
  if (const auto late = late_answer(exchange)) {
    result.text = std::format("{}: it arrived {} after the first packet", ending,
                              milliseconds_text(Nanoseconds(*exchange.events[*late].arrived_ns -
                                                            exchange.events.front().sent_ns)));
    result.complete = true;
  } else if (lost) {
    const PacketEvent& event = exchange.events[*lost];
    const auto count = std::ranges::count_if(
        exchange.events, [](const PacketEvent& packet) { return !packet.useful(); });
    result.text = std::format("{}: {} lost{}", ending, event_words(event),
                              count > 1 ? std::format(", the last of {} losses", count) : "");
    result.complete = true;
  } else {
    result.text = std::format("{}: nothing was lost; last packet: {}", ending,
                              event_words(exchange.events.back()));
  }
  return result;
}

}  // namespace analysis
