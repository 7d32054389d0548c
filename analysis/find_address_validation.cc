#include "analysis/finding_detectors.hh"
#include "analysis/trip_kind.hh"

#include <algorithm>
#include <chrono>
#include <format>

namespace analysis {
namespace {

using Events = std::vector<const PacketEvent*>;

bool is_tokenless_initial(const QuicPacket& packet) {
  return packet.type == QuicPacketType::kInitial && packet.token_bytes == 0;
}

bool starts_client_hello(const PacketEvent& event) {
  return std::ranges::any_of(event.packet.quic, [](const QuicPacket& packet) {
    return is_tokenless_initial(packet) &&
           std::ranges::any_of(packet.frames, [](const QuicFrame& frame) {
             return frame.type == quic_frame::kCrypto && frame.offset == 0 && frame.length > 0;
           });
  });
}

// Whether the server sent `retry` although no beginning of a ClientHello had reached it: only what
// comes behind one. A capture that has nothing of the kind before does not tell.
bool answers_headless_hello(const PacketEvent& retry, const Events& events) {
  bool headless = false;
  for (const PacketEvent* event : events) {
    if (event->from != End::kClient || !event->useful() || *event->arrived_ns > retry.sent_ns)
      continue;
    if (starts_client_hello(*event)) return false;
    headless = headless || std::ranges::any_of(event->packet.quic, is_tokenless_initial);
  }
  return headless;
}

void find_retries(const Inspection& inspection, const Events& events,
                  std::vector<Finding>& findings) {
  Finding finding{.id = "retry", .packets = {}, .text = {}};
  bool headless = !inspection.context.retry_always;
  for (const PacketEvent* event : events) {
    if (event->from != End::kServer || !event->packet.has_quic(QuicPacketType::kRetry)) continue;
    finding.packets.push_back(reference_to(*event));
    headless = headless && answers_headless_hello(*event, events);
  }
  if (finding.packets.empty()) return;
  if (headless) {
    finding.id = "spurious-retry";
    finding.text =
        "the first datagram of the ClientHello was late or lost; the server answered the second "
        "with a Retry";
  } else {
    finding.text = finding.packets.size() == 1
                       ? "the server asked for address validation"
                       : std::format(
                             "the server asked {} times for address validation, once for "
                             "each datagram of the ClientHello; the client takes the first",
                             finding.packets.size());
  }
  findings.push_back(std::move(finding));
}

void find_version_negotiation(const Events& events, std::vector<Finding>& findings) {
  for (const PacketEvent* event : events) {
    if (!event->packet.has_quic(QuicPacketType::kVersionNegotiation)) continue;
    findings.push_back(
        {.id = "version-negotiation",
         .packets = {reference_to(*event)},
         .text = "the server does not speak the version that the client began with"});
    return;
  }
}

// A datagram of the server that continues its handshake just after the client's packet `request`
// arrived, and that the budget before did not allow.
const PacketEvent* released_by(const PacketEvent& request, std::uint64_t budget_left,
                               const Events& events) {
  constexpr auto kAtOnce = std::chrono::nanoseconds(std::chrono::milliseconds(1));
  for (const PacketEvent* event : events) {
    if (event->from != End::kServer || event->sent_ns < *request.arrived_ns) continue;
    if (event->sent_ns > *request.arrived_ns + kAtOnce.count()) return nullptr;
    const bool continues = std::ranges::any_of(event->packet.data, [](const DataRange& range) {
      return range.kind == StreamKind::kHandshakeCrypto && range.begin > 0 && !range.again;
    });
    if (continues) return event->packet.payload_bytes > budget_left ? event : nullptr;
  }
  return nullptr;
}

void find_stall(const Inspection& inspection, std::size_t conversation, const Events& events,
                std::vector<Finding>& findings) {
  for (const PacketEvent* request : events) {
    if (request->from != End::kClient || !request->useful()) continue;
    const auto budget =
        amplification_budget(inspection.exchange, conversation, *request->arrived_ns);
    if (budget.validated || budget.sent == 0) continue;
    const PacketEvent* released = released_by(*request, budget.left(), events);
    if (released == nullptr) continue;
    const std::uint64_t wanted = flight_bytes(inspection.exchange, conversation);
    const std::uint64_t missing = wanted > budget.allowed() ? wanted - budget.allowed() : 0;
    findings.push_back(
        {.id = "amplification-stall",
         .packets = {reference_to(*request), reference_to(*released)},
         .text = std::format(
             "{} bytes of UDP payload had come, so {} could go; the server's first flight is {}, "
             "{} "
             "too many. A chain shorter by as much avoids it, a ClientHello of one more datagram "
             "(post-quantum key share), or an address validated before (Retry, token)",
             budget.received, budget.allowed(), wanted, missing)});
    return;
  }
}

void find_excess(const Inspection& inspection, std::size_t conversation, const Events& events,
                 std::vector<Finding>& findings) {
  for (const PacketEvent* event : events) {
    if (event->from != End::kServer) continue;
    // What arrives in the same instant may have been there already.
    const auto budget = amplification_budget(inspection.exchange, conversation, event->sent_ns + 1);
    if (budget.validated || budget.may_be_validated || budget.sent <= budget.allowed()) continue;
    findings.push_back(
        {.id = "amplification-exceeded",
         .packets = {reference_to(*event)},
         .text = std::format("the server had received {} bytes of UDP payload and sent {}, {} more "
                             "than three times as much",
                             budget.received, budget.sent, budget.sent - budget.allowed())});
    return;
  }
}

}  // namespace

void find_address_validation(const Inspection& inspection, std::vector<Finding>& findings) {
  for (std::size_t conversation = 0; conversation < inspection.exchange.conversations.size();
       ++conversation) {
    if (inspection.exchange.conversations[conversation].protocol != "QUIC") continue;
    const Events events = inspection.of_conversation(conversation);
    find_retries(inspection, events, findings);
    find_version_negotiation(events, findings);
    find_stall(inspection, conversation, events, findings);
    find_excess(inspection, conversation, events, findings);
  }
}

}  // namespace analysis
