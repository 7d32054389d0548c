#include "analysis/tcp_conversation.hh"

#include "analysis/dns_facts.hh"

#include <algorithm>

namespace analysis {
namespace {

using transport::Bytes;
using transport::ByteSpan;

constexpr std::uint16_t kDnsPort = 53;

std::optional<Carriage> carriage_of(const HandshakeFacts& facts) {
  // Early data comes before the server's choice, and is for what the session had before.
  const bool early = facts.alpn.empty() && facts.offered_early_data && !facts.offered_alpn.empty();
  const std::string& alpn = early ? facts.offered_alpn.front() : facts.alpn;
  if (alpn == "dot") return Carriage::kDot;
  if (alpn == "h2") return Carriage::kDoh2;
  // RFC 7858 does not ask for an ALPN; without one nothing but DoT is DNS over TLS.
  if (alpn.empty() && !std::ranges::contains(facts.offered_alpn, "h2")) return Carriage::kDot;
  return std::nullopt;
}

}  // namespace

// Modulo 2^32; a position just before the first byte, as a keep-alive has, becomes the first.
std::uint64_t TcpConversation::Side::position(std::uint32_t sequence) const {
  const std::uint32_t distance = sequence - first_sequence.value_or(sequence);
  return distance > 0x80000000U ? 0 : distance;
}

DecodedPacket TcpConversation::take(End from, const captures::IpPacket& packet) {
  DecodedPacket decoded;
  decoded.protocol = Protocol::kTcp;
  decoded.ip_length = packet.ip_length;
  decoded.payload_bytes = static_cast<std::uint32_t>(packet.payload.size());
  if (!packet.tcp) {
    decoded.problem = "TCP header cut short";
    return decoded;
  }
  const TcpSegment segment = read_segment(from, packet);
  decoded.tcp = segment;
  note_data(from, segment, decoded);
  const bool begins = from == End::kClient && segment.begin == 0 && !packet.payload.empty();
  if (begins && content_ == Content::kUnknown) {
    constexpr std::uint8_t kTlsHandshake = 22;
    content_ = packet.payload[0] == kTlsHandshake ? Content::kTls : Content::kOther;
    if (content_ == Content::kOther && packet.tuple.destination_port == kDnsPort) {
      content_ = Content::kDns;
      carriage_ = make_dns_carriage(Carriage::kDot);
    }
  }
  const Bytes ready = side(from).bytes.add(segment.begin, packet.payload);
  if (!ready.empty()) take_bytes(from, ready, decoded);
  return decoded;
}

TcpSegment TcpConversation::read_segment(End from, const captures::IpPacket& packet) {
  const captures::TcpHeader& header = *packet.tcp;
  Side& sender = side(from);
  Side& receiver = side(other(from));
  if (header.syn) {
    sender.first_sequence = header.sequence + 1;
  } else if (!sender.first_sequence) {
    sender.first_sequence = header.sequence;
  }
  if (header.ack && !receiver.first_sequence) receiver.first_sequence = header.acknowledgement;
  TcpSegment segment{.syn = header.syn,
                     .ack = header.ack,
                     .fin = header.fin,
                     .rst = header.rst,
                     .begin = header.syn ? 0 : sender.position(header.sequence),
                     .end = 0,
                     .acknowledged = header.ack ? receiver.position(header.acknowledgement) : 0,
                     .sack = {}};
  segment.end = segment.begin + packet.payload.size();
  for (const auto& block : header.sack_blocks())
    segment.sack.push_back(
        {.begin = receiver.position(block.left), .end = receiver.position(block.right)});
  return segment;
}

void TcpConversation::note_data(End from, const TcpSegment& segment, DecodedPacket& decoded) {
  Side& sender = side(from);
  const bool has_new = sender.sent.add(segment.begin, segment.end) > 0;
  const bool new_fin = segment.fin && !sender.fin_sent;
  sender.fin_sent = sender.fin_sent || segment.fin;
  if (segment.end > segment.begin || segment.fin)
    decoded.data.push_back({.kind = StreamKind::kTcp,
                            .stream = 0,
                            .begin = segment.begin,
                            .end = segment.end,
                            .fin = segment.fin,
                            .again = !has_new && !new_fin});
}

void TcpConversation::take_bytes(End from, ByteSpan bytes, DecodedPacket& decoded) {
  if (content_ == Content::kDns) take_application(from, bytes, decoded);
  if (content_ != Content::kTls) return;
  TlsRecordStream& records = side(from).records;
  const Bytes application = records.add(bytes);
  if (!application.empty()) take_application(from, application, decoded);
  if (decoded.problem.empty()) decoded.problem = records.problem();
}

void TcpConversation::take_application(End from, ByteSpan bytes, DecodedPacket& decoded) {
  if (!carriage_) {
    const auto kind = carriage_of(handshake_);
    if (kind) carriage_ = make_dns_carriage(*kind);
  }
  if (!carriage_) return;
  constexpr std::uint64_t kOnlyStream = 0;
  carriage_->take(from, kOnlyStream, bytes, false);
  for (const CarriedMessage& message : carriage_->take_messages()) {
    const MessageKind kind =
        message.from == End::kClient ? MessageKind::kDnsQuery : MessageKind::kDnsAnswer;
    Side& sender = side(message.from);
    for (const ByteRange& range : message.ranges) {
      if (content_ == Content::kDns) {
        sender.plain_messages.add({.kind = kind, .begin = range.first, .end = range.end});
      } else {
        sender.records.label_application(kind, range.first, range.end);
      }
    }
    decoded.dns.push_back(dns_facts(message));
  }
  if (decoded.problem.empty()) decoded.problem = carriage_->problem();
}

void TcpConversation::describe(End from, DecodedPacket& packet) const {
  packet.messages.clear();
  const Side& sender = side(from);
  for (const DataRange& range : packet.data)
    std::ranges::copy(content_ == Content::kDns
                          ? sender.plain_messages.parts(range.begin, range.end)
                          : sender.records.parts(range.begin, range.end),
                      std::back_inserter(packet.messages));
}

bool TcpConversation::begins_another(End from, const captures::IpPacket& packet) const {
  return from == End::kClient && packet.tcp && packet.tcp->syn && !packet.tcp->ack &&
         client_.first_sequence && packet.tcp->sequence + 1 != *client_.first_sequence;
}

ConversationFacts TcpConversation::facts() const {
  ConversationFacts facts{
      .protocol = content_ == Content::kTls ? "TLS over TCP" : "TCP",
      .quic_version = 0,
      .handshake = handshake_,
      .undecrypted = client_.records.undecrypted() + server_.records.undecrypted(),
      .sight_ends = client_.records.sight_ends()};
  if (content_ == Content::kDns) facts.protocol = "DNS over TCP";
  if (facts.sight_ends.empty()) facts.sight_ends = server_.records.sight_ends();
  return facts;
}

}  // namespace analysis
