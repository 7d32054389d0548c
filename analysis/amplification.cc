#include "analysis/amplification.hh"

#include <algorithm>
#include <set>

namespace analysis {
namespace {

// The smallest connection ID of 64 bits.
constexpr std::size_t kUnguessableIdBytes = 8;

// What the server has given the client to show.
struct Given {
  std::set<transport::Bytes> retry_tokens;
  std::set<transport::Bytes> connection_ids;

  void note(const DecodedPacket& packet) {
    for (const QuicPacket& quic : packet.quic) {
      if (quic.type == QuicPacketType::kRetry) retry_tokens.insert(quic.token);
      if (quic.scid.size() >= kUnguessableIdBytes) connection_ids.insert(quic.scid);
    }
  }
};

void receive(AmplificationBudget& budget, const PacketEvent& event, const Given& given) {
  budget.received += event.packet.payload_bytes * (1 + event.extra_copies);
  for (const QuicPacket& quic : event.packet.quic) {
    const bool beyond_initial =
        quic.type == QuicPacketType::kHandshake || quic.type == QuicPacketType::kOneRtt;
    budget.validated =
        budget.validated || beyond_initial || given.retry_tokens.contains(quic.token);
    budget.may_be_validated =
        budget.may_be_validated || !quic.token.empty() || given.connection_ids.contains(quic.dcid);
  }
}

std::uint64_t padding_bytes(const DecodedPacket& packet) {
  std::uint64_t bytes = 0;
  for (const QuicPacket& quic : packet.quic)
    for (const QuicFrame& frame : quic.frames)
      if (frame.type == quic_frame::kPadding) bytes += frame.length;
  return bytes;
}

std::uint64_t repeated_bytes(const DecodedPacket& packet) {
  std::uint64_t bytes = 0;
  for (const DataRange& range : packet.data)
    if (range.again) bytes += range.end - range.begin;
  return bytes;
}

}  // namespace

AmplificationLedger::AmplificationLedger(const Exchange& exchange, std::size_t conversation) {
  struct Moment {
    std::int64_t at_ns = 0;
    const PacketEvent* event = nullptr;
  };
  std::vector<Moment> moments;
  for (const PacketEvent* event : exchange.all_events()) {
    if (event->conversation != conversation) continue;
    if (event->from == End::kServer) moments.push_back({event->sent_ns, event});
    if (event->from == End::kClient && event->useful())
      moments.push_back({*event->arrived_ns, event});
  }
  // What arrives in the instant in which something is sent was there before.
  std::ranges::stable_sort(moments, {}, [](const Moment& moment) {
    return std::pair(moment.at_ns, moment.event->from == End::kServer);
  });
  AmplificationBudget budget;
  Given given;
  for (const Moment& moment : moments) {
    if (moment.event->from == End::kServer) {
      budget.sent += moment.event->packet.payload_bytes;
      given.note(moment.event->packet);
    } else {
      receive(budget, *moment.event, given);
    }
    entries_.push_back({.at_ns = moment.at_ns, .budget = budget});
    if (budget.validated) return;
  }
}

AmplificationBudget AmplificationLedger::before(std::int64_t at_ns) const {
  const auto next = std::ranges::lower_bound(entries_, at_ns, {}, &Entry::at_ns);
  return next == entries_.begin() ? AmplificationBudget{} : std::prev(next)->budget;
}

std::uint64_t flight_bytes(const Exchange& exchange, std::size_t conversation) {
  std::uint64_t bytes = 0;
  for (const PacketEvent& event : exchange.events) {
    if (event.conversation != conversation || event.from != End::kServer ||
        !event.packet.has_new_data())
      continue;
    bytes +=
        event.packet.payload_bytes - padding_bytes(event.packet) - repeated_bytes(event.packet);
    const bool finished = std::ranges::any_of(event.packet.messages, [](const MessagePart& part) {
      return part.kind == MessageKind::kFinished && part.last();
    });
    if (finished) break;
  }
  return bytes;
}

}  // namespace analysis
