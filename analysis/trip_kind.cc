#include "analysis/trip_kind.hh"

#include <algorithm>
#include <array>
#include <set>

namespace analysis {
namespace {

struct Names {
  TripKind kind;
  std::string_view name;
  std::string_view words;
};
constexpr std::array kNames{
    Names{TripKind::kTcpConnect, "tcp_connect", "TCP connect"},
    Names{TripKind::kTlsHandshake, "tls_handshake", "TLS handshake"},
    Names{TripKind::kQuicHandshake, "quic_handshake", "QUIC handshake"},
    Names{TripKind::kHelloRetryRequest, "hello_retry_request", "HelloRetryRequest"},
    Names{TripKind::kVersionNegotiation, "version_negotiation", "Version Negotiation"},
    Names{TripKind::kRetry, "retry", "Retry"},
    Names{TripKind::kAmplificationStall, "amplification_stall", "amplification stall"},
    Names{TripKind::kCongestionWindow, "congestion_window", "congestion window"},
    Names{TripKind::kLossRecovery, "loss_recovery", "loss recovery"},
    Names{TripKind::kQuery, "query", "query"},
    Names{TripKind::kOther, "other", "other"},
};

const Names& names_of(TripKind kind) {
  return *std::ranges::find(kNames, kind, &Names::kind);
}

TripKind tcp_trip(const DecodedPacket& request, const DecodedPacket& answer) {
  if (request.tcp->syn) return TripKind::kTcpConnect;
  if (answer.carries(MessageKind::kHelloRetryRequest)) return TripKind::kHelloRetryRequest;
  if (request.carries(MessageKind::kDnsQuery)) return TripKind::kQuery;
  if (request.carries(MessageKind::kClientHello)) return TripKind::kTlsHandshake;
  if (request.tcp->pure_ack())
    return answer.has_new_data() && request.tcp->sack.empty() ? TripKind::kCongestionWindow
                                                              : TripKind::kLossRecovery;
  return answer.carries_handshake() ? TripKind::kTlsHandshake : TripKind::kLossRecovery;
}

TripKind quic_trip(const Exchange& exchange, std::size_t request_index, std::size_t answer_index) {
  const PacketEvent& request = exchange.events[request_index];
  const DecodedPacket& answer = exchange.events[answer_index].packet;
  if (answer.has_quic(QuicPacketType::kRetry)) return TripKind::kRetry;
  if (answer.has_quic(QuicPacketType::kVersionNegotiation)) return TripKind::kVersionNegotiation;
  if (answer.carries(MessageKind::kHelloRetryRequest)) return TripKind::kHelloRetryRequest;
  if (request.packet.carries(MessageKind::kDnsQuery)) return TripKind::kQuery;
  if (answer.carries(MessageKind::kDnsAnswer))
    return answer.has_new_data() ? TripKind::kQuery : TripKind::kLossRecovery;
  if (request.packet.carries(MessageKind::kClientHello)) return TripKind::kQuicHandshake;
  if (!answer.carries_handshake()) return TripKind::kLossRecovery;
  if (!answer.has_new_data()) return TripKind::kLossRecovery;
  const auto budget =
      amplification_budget(exchange, request.conversation, request.arrived_ns.value_or(0));
  const bool stalled = !budget.validated && budget.left() < answer.payload_bytes;
  return stalled ? TripKind::kAmplificationStall : TripKind::kCongestionWindow;
}

// RFC 9000 section 8.1: a Handshake packet shows that the client is where it says, and so does a
// token that the server gave.
bool validates(const DecodedPacket& packet) {
  return std::ranges::any_of(packet.quic, [](const QuicPacket& quic) {
    return quic.type == QuicPacketType::kHandshake || quic.type == QuicPacketType::kOneRtt ||
           quic.token_bytes > 0;
  });
}

constexpr std::size_t kUnguessableIdBytes = 8;

bool addresses(const DecodedPacket& packet, const std::set<transport::Bytes>& ids) {
  return std::ranges::any_of(packet.quic,
                             [&](const QuicPacket& quic) { return ids.contains(quic.dcid); });
}

}  // namespace

std::string_view to_string(TripKind kind) {
  return names_of(kind).name;
}

std::string_view describe(TripKind kind) {
  return names_of(kind).words;
}

bool is_round_trip(std::string_view what) {
  return std::ranges::contains(kNames, what, &Names::name);
}

AmplificationBudget amplification_budget(const Exchange& exchange, std::size_t conversation,
                                         std::int64_t at_ns) {
  AmplificationBudget budget;
  std::set<transport::Bytes> server_ids;
  for (const PacketEvent& event : exchange.events) {
    if (event.conversation != conversation) continue;
    if (event.from == End::kServer) {
      if (event.sent_ns >= at_ns) continue;
      budget.sent += event.packet.payload_bytes;
      for (const QuicPacket& quic : event.packet.quic)
        if (quic.scid.size() >= kUnguessableIdBytes) server_ids.insert(quic.scid);
    } else if (event.useful() && *event.arrived_ns < at_ns) {
      budget.received += event.packet.payload_bytes * (1 + event.extra_copies);
      budget.validated = budget.validated || validates(event.packet);
      budget.may_be_validated = budget.may_be_validated || addresses(event.packet, server_ids);
    }
  }
  return budget;
}

std::uint64_t flight_bytes(const Exchange& exchange, std::size_t conversation) {
  std::uint64_t bytes = 0;
  for (const PacketEvent& event : exchange.events) {
    if (event.conversation != conversation || event.from != End::kServer ||
        !event.packet.has_new_data())
      continue;
    bytes += event.packet.payload_bytes;
    const bool finished = std::ranges::any_of(event.packet.messages, [](const MessagePart& part) {
      return part.kind == MessageKind::kFinished && part.last();
    });
    if (finished) break;
  }
  return bytes;
}

TripKind trip_kind(const Exchange& exchange, std::size_t request, std::size_t answer) {
  const DecodedPacket& up = exchange.events[request].packet;
  const DecodedPacket& down = exchange.events[answer].packet;
  if (up.protocol == Protocol::kDns) return TripKind::kQuery;
  if (up.protocol == Protocol::kTcp && up.tcp && down.tcp) return tcp_trip(up, down);
  if (up.protocol == Protocol::kQuic) return quic_trip(exchange, request, answer);
  return TripKind::kOther;
}

}  // namespace analysis
