#include "analysis/trip_kind.hh"

#include "analysis/amplification.hh"

#include <algorithm>
#include <array>

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
    Names{TripKind::kPathValidation, "path_validation", "validation of a new path"},
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

// New bytes of a stream behind others that had been sent before.
bool continues_stream(const DecodedPacket& packet) {
  return std::ranges::any_of(packet.data, [](const DataRange& range) {
    return range.kind == StreamKind::kQuicStream && !range.again && range.begin > 0;
  });
}

// RFC 9000 section 8.2.2: until then a new path carries three times what came on it.
bool answers_challenge(const DecodedPacket& packet) {
  return std::ranges::any_of(packet.quic, [](const QuicPacket& quic) {
    return std::ranges::contains(quic.frames, quic_frame::kPathResponse, &QuicFrame::type);
  });
}

TripKind quic_trip(const Exchange& exchange, std::size_t request_index, std::size_t answer_index) {
  const PacketEvent& request = exchange.events[request_index];
  const DecodedPacket& answer = exchange.events[answer_index].packet;
  if (answer.has_quic(QuicPacketType::kRetry)) return TripKind::kRetry;
  if (answer.has_quic(QuicPacketType::kVersionNegotiation)) return TripKind::kVersionNegotiation;
  if (answer.carries(MessageKind::kHelloRetryRequest)) return TripKind::kHelloRetryRequest;
  if (request.packet.carries(MessageKind::kDnsQuery)) return TripKind::kQuery;
  if (answer.carries(MessageKind::kDnsAnswer)) {
    if (!answer.has_new_data()) return TripKind::kLossRecovery;
    if (!continues_stream(answer)) return TripKind::kQuery;
    return answers_challenge(request.packet) ? TripKind::kPathValidation
                                             : TripKind::kCongestionWindow;
  }
  if (request.packet.carries(MessageKind::kClientHello)) return TripKind::kQuicHandshake;
  if (!answer.carries_handshake()) return TripKind::kLossRecovery;
  if (!answer.has_new_data()) return TripKind::kLossRecovery;
  const auto budget =
      AmplificationLedger(exchange, request.conversation).before(request.arrived_ns.value_or(0));
  const bool stalled = !budget.validated && budget.left() < answer.payload_bytes;
  return stalled ? TripKind::kAmplificationStall : TripKind::kCongestionWindow;
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

TripKind trip_kind(const Exchange& exchange, std::size_t request, std::size_t answer) {
  const DecodedPacket& up = exchange.events[request].packet;
  const DecodedPacket& down = exchange.events[answer].packet;
  if (up.protocol == Protocol::kDns) return TripKind::kQuery;
  if (up.protocol == Protocol::kTcp && up.tcp && down.tcp) return tcp_trip(up, down);
  if (up.protocol == Protocol::kQuic) return quic_trip(exchange, request, answer);
  return TripKind::kOther;
}

}  // namespace analysis
