#include "analysis/packet_meaning.hh"

#include <algorithm>
#include <array>
#include <format>

namespace analysis {
namespace {

constexpr std::array<std::string_view, kMeanings> kNames{"syn",
                                                         "syn-ack",
                                                         "tcp-ack",
                                                         "tcp-data",
                                                         "fin",
                                                         "rst",
                                                         "quic-initial",
                                                         "quic-0rtt",
                                                         "quic-handshake",
                                                         "quic-1rtt",
                                                         "quic-retry",
                                                         "quic-version-negotiation",
                                                         "quic-ack",
                                                         "tls-client-hello",
                                                         "tls-server-hello",
                                                         "tls-hello-retry-request",
                                                         "tls-encrypted-extensions",
                                                         "tls-certificate",
                                                         "tls-certificate-verify",
                                                         "tls-finished",
                                                         "tls-new-session-ticket",
                                                         "dns-query",
                                                         "dns-answer",
                                                         "icmp"};

std::optional<Meaning> meaning_of(MessageKind kind) {
  switch (kind) {
    case MessageKind::kClientHello:
      return Meaning::kClientHello;
    case MessageKind::kServerHello:
      return Meaning::kServerHello;
    case MessageKind::kHelloRetryRequest:
      return Meaning::kHelloRetryRequest;
    case MessageKind::kEncryptedExtensions:
      return Meaning::kEncryptedExtensions;
    case MessageKind::kCertificate:
      return Meaning::kCertificate;
    case MessageKind::kCertificateVerify:
      return Meaning::kCertificateVerify;
    case MessageKind::kFinished:
      return Meaning::kFinished;
    case MessageKind::kNewSessionTicket:
      return Meaning::kNewSessionTicket;
    case MessageKind::kDnsQuery:
      return Meaning::kDnsQuery;
    case MessageKind::kDnsAnswer:
      return Meaning::kDnsAnswer;
    default:
      return std::nullopt;
  }
}

Meaning meaning_of(QuicPacketType type) {
  switch (type) {
    case QuicPacketType::kInitial:
      return Meaning::kQuicInitial;
    case QuicPacketType::kZeroRtt:
      return Meaning::kQuicZeroRtt;
    case QuicPacketType::kHandshake:
      return Meaning::kQuicHandshake;
    case QuicPacketType::kRetry:
      return Meaning::kQuicRetry;
    case QuicPacketType::kVersionNegotiation:
      return Meaning::kQuicVersionNegotiation;
    case QuicPacketType::kOneRtt:
      break;
  }
  return Meaning::kQuicOneRtt;
}

class Reader {
 public:
  PacketMeaning read(const DecodedPacket& packet) {
    if (packet.tcp) tcp(*packet.tcp);
    for (const QuicPacket& inner : packet.quic) quic(inner);
    if (!packet.quic.empty() && std::ranges::all_of(packet.quic, &QuicPacket::only_acknowledges))
      set(Meaning::kQuicAck);
    if (packet.protocol == Protocol::kIcmp) set(Meaning::kIcmp);
    for (const MessagePart& part : packet.messages) message(part);
    for (const MeaningPart& part : result_.parts)
      sign(std::format("{}{}{}", part.first ? "<" : "-", to_string(part.meaning),
                       part.last ? ">" : "-"));
    for (std::size_t bit = 0; bit < kMeanings; ++bit)
      if (result_.is.test(bit)) sign(kNames[bit]);
    return std::move(result_);
  }

 private:
  void set(Meaning meaning) { result_.is.set(static_cast<std::size_t>(meaning)); }
  void sign(std::string_view word) {
    if (!result_.signature.empty()) result_.signature += ' ';
    result_.signature += word;
  }

  void tcp(const TcpSegment& segment) {
    if (segment.syn) set(segment.ack ? Meaning::kSynAck : Meaning::kSyn);
    if (segment.pure_ack()) set(Meaning::kTcpAck);
    if (segment.end > segment.begin) set(Meaning::kTcpData);
    if (segment.fin) set(Meaning::kFin);
    if (segment.rst) set(Meaning::kRst);
  }

  void quic(const QuicPacket& packet) {
    set(meaning_of(packet.type));
    sign(packet.number ? std::format("{}#{}", to_string(packet.type), *packet.number)
                       : std::string(to_string(packet.type)));
  }

  void message(const MessagePart& part) {
    const auto meaning = meaning_of(part.kind);
    if (!meaning) return;
    set(*meaning);
    auto known = std::ranges::find(result_.parts, *meaning, &MeaningPart::meaning);
    if (known == result_.parts.end())
      known = result_.parts.insert(known, MeaningPart{.meaning = *meaning});
    known->first = known->first || part.first();
    known->last = known->last || part.last();
  }

  PacketMeaning result_;
};

}  // namespace

std::string_view to_string(Meaning meaning) {
  return kNames.at(static_cast<std::size_t>(meaning));
}

std::optional<Meaning> parse_meaning(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Meaning>(found - kNames.begin());
}

std::span<const std::string_view> meaning_names() {
  return kNames;
}

PacketMeaning meaning_of(const DecodedPacket& packet) {
  return Reader().read(packet);
}

}  // namespace analysis
