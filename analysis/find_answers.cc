#include "analysis/finding_detectors.hh"
#include "analysis/wording.hh"
#include "transport/dns_message.hh"

#include <algorithm>
#include <chrono>
#include <format>
#include <limits>
#include <map>
#include <string>
#include <tuple>

namespace analysis {
namespace {

// Over UDP a datagram may come twice, by the path or because the server sent it again. Streams keep
// repetitions from their readers.
void find_duplicates(const Inspection& inspection, std::vector<Finding>& findings) {
  using Identity = std::tuple<std::size_t, std::uint16_t, std::vector<std::string>>;
  std::map<Identity, std::vector<const PacketEvent*>> arrivals;
  for (const PacketEvent& event : inspection.exchange.events) {
    if (event.from != End::kServer || !event.useful() || event.packet.protocol != Protocol::kDns)
      continue;
    for (const DnsFacts& dns : event.packet.dns)
      if (dns.response) arrivals[{event.conversation, dns.id, dns.questions}].push_back(&event);
  }
  for (const auto& [identity, events] : arrivals) {
    std::size_t times = events.size();
    Finding finding{.id = "duplicate-answer", .packets = {}, .text = {}};
    for (const PacketEvent* event : events) {
      times += event->extra_copies;
      finding.packets.push_back(reference_to(*event));
    }
    if (times < 2) continue;
    finding.text = std::format("the answer arrived {} times", times);
    findings.push_back(std::move(finding));
    return;
  }
}

void find_late(const Inspection& inspection, std::vector<Finding>& findings) {
  const captures::QueryRecord* record = inspection.context.record;
  if (record == nullptr || record->outcome != captures::Outcome::kNoAnswer ||
      inspection.exchange.events.empty())
    return;
  const std::int64_t deadline_ns = deadline_of(inspection.exchange);
  for (const PacketEvent& event : inspection.exchange.events) {
    if (event.from != End::kServer || !event.useful() || *event.arrived_ns <= deadline_ns ||
        !event.packet.completes_answer())
      continue;
    const base::Nanoseconds after(*event.arrived_ns - inspection.exchange.events.front().sent_ns);
    findings.push_back(
        {.id = "late-answer",
         .packets = {reference_to(event)},
         .text = std::format("the answer arrived {} after the start, {} too late",
                             milliseconds_text(after),
                             milliseconds_text(after - *inspection.exchange.client_timeout))});
    return;
  }
}

bool has_quic_padding(const PacketEvent& event) {
  return std::ranges::any_of(event.packet.quic, [](const QuicPacket& packet) {
    return (packet.type == QuicPacketType::kOneRtt || packet.type == QuicPacketType::kZeroRtt) &&
           packet.find_frame(quic_frame::kPadding) != nullptr;
  });
}

bool is_padded(const DnsFacts& message, std::size_t block) {
  return message.padding && message.bytes % block == 0;
}

void find_unpadded(const Inspection& inspection, std::vector<Finding>& findings) {
  bool padding_wanted = false;
  for (const PacketEvent& event : inspection.exchange.events) {
    const ConversationFacts& facts = inspection.exchange.conversations[event.conversation];
    if (facts.protocol != "QUIC" && facts.protocol != "TLS over TCP") continue;
    for (const DnsFacts& message : event.packet.dns) {
      const std::size_t block =
          message.response ? transport::kResponsePaddingBlock : transport::kQueryPaddingBlock;
      if (!message.response) padding_wanted = message.padding.has_value();
      if (is_padded(message, block) || has_quic_padding(event)) continue;
      if (message.response && !padding_wanted) continue;
      findings.push_back(
          {.id = message.response ? "unpadded-answer" : "unpadded-query",
           .packets = {reference_to(event)},
           .text = std::format(
               "{} of {} bytes {}", message.response ? "an answer" : "a query", message.bytes,
               message.padding ? "is padded, but not to its block" : "is not padded")});
    }
  }
}

// RFC 9000 section 14.4: PING and PADDING make probes of a size that nothing else needs.
void find_mtu_probes(const Inspection& inspection, std::vector<Finding>& findings) {
  constexpr std::uint32_t kEveryPathCarries = 1200;
  Finding finding{.id = "pmtu-probe", .packets = {}, .text = {}};
  std::uint64_t bytes = 0;
  for (const PacketEvent& event : inspection.exchange.events) {
    if (event.packet.payload_bytes <= kEveryPathCarries || event.packet.quic.size() != 1) continue;
    const QuicPacket& packet = event.packet.quic.front();
    const bool probe = packet.type == QuicPacketType::kOneRtt && event.packet.data.empty() &&
                       packet.find_frame(quic_frame::kPing) != nullptr &&
                       packet.find_frame(quic_frame::kPadding) != nullptr;
    if (!probe) continue;
    bytes += event.packet.ip_length;
    finding.packets.push_back(reference_to(event));
  }
  if (finding.packets.empty()) return;
  finding.text = std::format("{} probe{} of path MTU, {} IP bytes", finding.packets.size(),
                             finding.packets.size() == 1 ? "" : "s", bytes);
  findings.push_back(std::move(finding));
}

}  // namespace

void find_answers(const Inspection& inspection, std::vector<Finding>& findings) {
  find_duplicates(inspection, findings);
  find_late(inspection, findings);
  find_mtu_probes(inspection, findings);
  find_unpadded(inspection, findings);
}

std::int64_t Inspection::answered_ns() const {
  if (context.record == nullptr || !context.record->time || exchange.events.empty())
    return std::numeric_limits<std::int64_t>::max();
  constexpr base::Nanoseconds kSocketMade = std::chrono::microseconds(50);
  return exchange.events.front().sent_ns + (*context.record->time + kSocketMade).count();
}

PacketReference reference_to(const PacketEvent& event) {
  return {.end = event.from, .number = event.number};
}

std::vector<const PacketEvent*> Inspection::of_conversation(std::size_t conversation) const {
  std::vector<const PacketEvent*> events;
  for (const PacketEvent& event : exchange.events)
    if (event.conversation == conversation) events.push_back(&event);
  return events;
}

}  // namespace analysis
