#include "analysis/finding_detectors.hh"
#include "analysis/interval_set.hh"
#include "analysis/wording.hh"

#include <algorithm>
#include <format>
#include <map>
#include <optional>
#include <string>

namespace analysis {
namespace {

using Events = std::vector<const PacketEvent*>;

// Packets that carry parts of a message for the first time.
Events carriers_of(MessageKind kind, const Events& events) {
  Events carriers;
  std::uint64_t covered = 0;
  std::optional<std::uint64_t> total;
  for (const PacketEvent* event : events) {
    bool adds = false;
    for (const MessagePart& part : event->packet.messages) {
      // A second message of the kind (after a Retry or HelloRetryRequest) has another story.
      if (part.kind != kind || (total && *total != part.total) || covered >= part.total) continue;
      total = part.total;
      adds = true;
    }
    if (!adds || !event->packet.has_new_data()) continue;
    for (const MessagePart& part : event->packet.messages)
      if (part.kind == kind) covered += part.length;
    carriers.push_back(event);
  }
  return carriers;
}

std::vector<PacketReference> references(const Events& events) {
  std::vector<PacketReference> packets;
  for (const PacketEvent* event : events) packets.push_back(reference_to(*event));
  return packets;
}

void find_split(MessageKind kind, std::string_view id, const Events& events,
                std::vector<Finding>& findings) {
  const Events carriers = carriers_of(kind, events);
  if (carriers.size() < 2) return;
  std::uint64_t total = 0;
  for (const MessagePart& part : carriers.front()->packet.messages)
    if (part.kind == kind) total = part.total;
  findings.push_back({.id = id,
                      .packets = references(carriers),
                      .text = std::format("the {} of {} bytes spans {} datagrams", to_string(kind),
                                          total, carriers.size())});
}

void find_hello_retry_request(const Events& events, const HandshakeFacts& facts,
                              std::vector<Finding>& findings) {
  for (const PacketEvent* event : events) {
    if (!event->packet.carries(MessageKind::kHelloRetryRequest)) continue;
    findings.push_back(
        {.id = "hello-retry-request",
         .packets = {reference_to(*event)},
         .text = facts.group ? std::format("the server wanted a key share of {}, which the first "
                                           "ClientHello did not bring",
                                           group_name(*facts.group))
                             : "the server wanted another key share"});
    return;
  }
}

bool only_acknowledges_in_initial(const PacketEvent& event) {
  return std::ranges::any_of(event.packet.quic, [](const QuicPacket& packet) {
    return packet.type == QuicPacketType::kInitial && packet.only_acknowledges();
  });
}

// Bytes of the server's Initial CRYPTO data, its ServerHello, that never reached the client and
// were sent once only.
void find_unsent_crypto(const Events& events, const HandshakeFacts& facts,
                        std::vector<Finding>& findings) {
  std::uint64_t end = facts.server_hello_bytes;
  IntervalSet delivered_or_repeated;
  Events acknowledgements;
  for (const PacketEvent* event : events) {
    if (event->from != End::kServer) continue;
    for (const DataRange& range : event->packet.data)
      if (range.kind == StreamKind::kInitialCrypto) {
        end = std::max(end, range.end);
        if (event->useful() || range.again) delivered_or_repeated.add(range.begin, range.end);
      }
    if (only_acknowledges_in_initial(*event)) acknowledgements.push_back(event);
  }
  const std::uint64_t missing = end - std::min(end, delivered_or_repeated.count());
  if (missing == 0 || acknowledgements.empty()) return;
  constexpr std::size_t kMostPackets = 20;
  const std::size_t seen = acknowledgements.size();
  if (acknowledgements.size() > kMostPackets) acknowledgements.resize(kMostPackets);
  findings.push_back(
      {.id = "initial-crypto-not-resent",
       .packets = references(acknowledgements),
       .text = std::format("{} of {} bytes of the server's Initial CRYPTO data never reached the "
                           "client and were not sent again, while {} Initial packet{} only to "
                           "acknowledge",
                           missing, end, seen, seen == 1 ? " was sent" : "s were sent")});
}

// A packet of the handshake whose data never arrived, with this packet or with another.
const PacketEvent* undelivered(const Events& events) {
  for (const PacketEvent* lost : events) {
    if (lost->useful() || !lost->packet.carries_handshake()) continue;
    const bool made_good = std::ranges::any_of(events, [&](const PacketEvent* other) {
      return other->from == lost->from && other->useful() &&
             std::ranges::any_of(other->packet.data, [&](const DataRange& range) {
               return std::ranges::any_of(lost->packet.data, [&](const DataRange& missing) {
                 return range.overlaps(missing);
               });
             });
    });
    if (!made_good) return lost;
  }
  return nullptr;
}

void find_unfinished(const Inspection& inspection, const Events& events,
                     const ConversationFacts& facts, std::vector<Finding>& findings) {
  const bool began = std::ranges::any_of(events, [](const PacketEvent* event) {
    return event->packet.carries(MessageKind::kClientHello);
  });
  // Without keys the Finished cannot be seen, with an answer it must have been there.
  const captures::QueryRecord* record = inspection.context.record;
  if (!began || facts.undecrypted > 0 || (record != nullptr && record->time)) return;
  const HandshakeFacts& handshake = facts.handshake;
  const PacketEvent* missing = undelivered(events);
  if (missing != nullptr) {
    findings.push_back(
        {.id = "handshake-cut-off",
         .packets = {reference_to(*missing)},
         .text = std::format("the handshake did not end: {} {} never arrived, nor was it made good",
                             to_string(missing->from),
                             describe_packet(missing->packet, Details::kShort))});
    return;
  }
  if (handshake.finished_by_client && handshake.finished_by_server) return;
  std::string unsent = handshake.finished_by_server ? "the client's Finished was never sent"
                                                    : "the server's Finished was never sent";
  if (!handshake.cipher_suite) unsent = "no ServerHello was sent";
  findings.push_back({.id = "handshake-unfinished",
                      .packets = {reference_to(*events.front()), reference_to(*events.back())},
                      .text = std::format("all that was sent arrived, but {}", unsent)});
}

bool has_early_data(const Events& events, const ConversationFacts& facts) {
  if (facts.protocol == "QUIC")
    return std::ranges::any_of(events, [](const PacketEvent* event) {
      return event->from == End::kClient && event->packet.has_quic(QuicPacketType::kZeroRtt);
    });
  // TLS: application data of the client before its Finished (RFC 8446 section 4.2.10).
  for (const PacketEvent* event : events) {
    if (event->from != End::kClient) continue;
    if (event->packet.carries(MessageKind::kFinished)) return false;
    if (event->packet.carries(MessageKind::kDnsQuery) ||
        event->packet.carries(MessageKind::kHttp) ||
        event->packet.carries(MessageKind::kEncryptedRecord))
      return true;
  }
  return false;
}

void find_missing_early_data(const Inspection& inspection, const Events& events,
                             const ConversationFacts& facts, std::vector<Finding>& findings) {
  const captures::QueryRecord* record = inspection.context.record;
  const bool claimed =
      facts.handshake.offered_early_data || (record != nullptr && record->early_data.attempted);
  if (!claimed || events.empty() || has_early_data(events, facts)) return;
  const Events hello = carriers_of(MessageKind::kClientHello, events);
  findings.push_back(
      {.id = "early-data-missing",
       .packets = references(hello.empty() ? Events{events.front()} : hello),
       .text = facts.handshake.offered_early_data
                   ? "the ClientHello announces early data, but none was sent"
                   : "the client reports early data, but its ClientHello does not announce any"});
}

}  // namespace

void find_handshake(const Inspection& inspection, std::vector<Finding>& findings) {
  for (std::size_t index = 0; index < inspection.exchange.conversations.size(); ++index) {
    const ConversationFacts& facts = inspection.exchange.conversations[index];
    const bool quic = facts.protocol == "QUIC";
    if (!quic && facts.protocol != "TLS over TCP") continue;
    const Events events = inspection.of_conversation(index);
    if (events.empty()) continue;
    if (quic) {
      find_split(MessageKind::kClientHello, "client-hello-split", events, findings);
      find_split(MessageKind::kServerHello, "server-hello-split", events, findings);
      find_unsent_crypto(events, facts.handshake, findings);
    }
    find_hello_retry_request(events, facts.handshake, findings);
    find_unfinished(inspection, events, facts, findings);
    find_missing_early_data(inspection, events, facts, findings);
  }
}

}  // namespace analysis
