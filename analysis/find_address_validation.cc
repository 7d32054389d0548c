#include "analysis/amplification.hh"
#include "analysis/finding_detectors.hh"

#include <algorithm>
#include <chrono>
#include <format>
#include <string>

namespace analysis {
namespace {

using Events = std::vector<const PacketEvent*>;

bool is_tokenless_initial(const QuicPacket& packet) {
  return packet.type == QuicPacketType::kInitial && packet.token.empty();
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

// Datagrams that brought parts of the first ClientHello, each for the first time.
std::size_t hello_datagrams(const Events& events) {
  return static_cast<std::size_t>(std::ranges::count_if(events, [](const PacketEvent* event) {
    return event->from == End::kClient && event->packet.has_new_data() &&
           std::ranges::any_of(event->packet.quic, is_tokenless_initial);
  }));
}

std::string retries_text(std::size_t retries, std::size_t datagrams) {
  if (retries == 1) return "the server asked for address validation";
  return std::format("the server asked for address validation {} times, {}; the client takes one",
                     retries,
                     retries == datagrams ? "once for each datagram of the ClientHello"
                                          : "because the ClientHello came again");
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
    finding.text = retries_text(finding.packets.size(), hello_datagrams(events));
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
  constexpr auto kSoon = std::chrono::nanoseconds(std::chrono::milliseconds(1));
  for (const PacketEvent* event : events) {
    if (event->from != End::kServer || event->sent_ns < *request.arrived_ns) continue;
    if (event->sent_ns > *request.arrived_ns + kSoon.count()) return nullptr;
    const bool continues = std::ranges::any_of(event->packet.data, [](const DataRange& range) {
      return range.kind == StreamKind::kHandshakeCrypto && range.begin > 0 && !range.again;
    });
    if (continues) return event->packet.payload_bytes > budget_left ? event : nullptr;
  }
  return nullptr;
}

// What would have kept the server from waiting.
std::string remedies(std::uint64_t wanted, std::size_t datagrams) {
  constexpr std::uint64_t kDatagram = 1200;
  std::string text = "a chain shorter by as much avoids it";
  const std::uint64_t needed = (wanted + 3 * kDatagram - 1) / (3 * kDatagram);
  if (needed > datagrams)
    text += std::format(
        ", {}", needed == 2 && datagrams == 1
                    ? "a ClientHello of two datagrams (post-quantum key share)"
                    : std::format("{} datagrams of the client instead of {}", needed, datagrams));
  return text + ", a token from an earlier connection";
}

void find_stall(const Inspection& inspection, std::size_t conversation, const Events& events,
                const AmplificationLedger& ledger, std::vector<Finding>& findings) {
  // A stall ends with one of the client's first packets or never.
  constexpr std::size_t kMostRequests = 64;
  std::size_t requests = 0;
  for (const PacketEvent* request : events) {
    if (request->from != End::kClient || !request->useful()) continue;
    if (++requests > kMostRequests) return;
    const AmplificationBudget budget = ledger.before(*request->arrived_ns);
    if (budget.validated) return;
    if (budget.sent == 0) continue;
    const PacketEvent* released = released_by(*request, budget.left(), events);
    if (released == nullptr) continue;
    const std::uint64_t wanted = flight_bytes(inspection.exchange, conversation);
    if (wanted <= budget.allowed()) continue;
    const auto datagrams =
        static_cast<std::size_t>(std::ranges::count_if(events, [&](const PacketEvent* event) {
          return event->from == End::kClient && event->useful() &&
                 *event->arrived_ns < *request->arrived_ns;
        }));
    findings.push_back(
        {.id = "amplification-stall",
         .packets = {reference_to(*request), reference_to(*released)},
         .text = std::format(
             "{} bytes of UDP payload had come, so {} could go; the server's first flight takes "
             "{}, {} too many: {}",
             budget.received, budget.allowed(), wanted, wanted - budget.allowed(),
             remedies(wanted, datagrams))});
    return;
  }
}

void find_excess(const Events& events, const AmplificationLedger& ledger,
                 std::vector<Finding>& findings) {
  for (const PacketEvent* event : events) {
    if (event->from != End::kServer) continue;
    const AmplificationBudget budget = ledger.before(event->sent_ns + 1);
    if (budget.validated || budget.may_be_validated) return;
    if (budget.sent <= budget.allowed()) continue;
    findings.push_back(
        {.id = "amplification-exceeded",
         .packets = {reference_to(*event)},
         .text = std::format("the server had received {} bytes of UDP payload and sent {}, {} more "
                             "than three times as much",
                             budget.received, budget.sent, budget.sent - budget.allowed())});
    return;
  }
}

// A capture that begins in the middle does not show what the server had received.
bool shows_the_beginning(const Inspection& inspection, const Events& events) {
  return inspection.context.two_ended ||
         (!events.empty() && events.front()->from == End::kClient &&
          std::ranges::any_of(events.front()->packet.quic, is_tokenless_initial));
}

}  // namespace

void find_address_validation(const Inspection& inspection, std::vector<Finding>& findings) {
  for (std::size_t conversation = 0; conversation < inspection.exchange.conversations.size();
       ++conversation) {
    if (inspection.exchange.conversations[conversation].protocol != "QUIC") continue;
    const Events events = inspection.of_conversation(conversation);
    find_version_negotiation(events, findings);
    if (!shows_the_beginning(inspection, events)) continue;
    find_retries(inspection, events, findings);
    const AmplificationLedger ledger(inspection.exchange, conversation);
    find_stall(inspection, conversation, events, ledger, findings);
    find_excess(events, ledger, findings);
  }
}

}  // namespace analysis
