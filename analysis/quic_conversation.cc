#include "analysis/quic_conversation.hh"

#include "analysis/dns_facts.hh"
#include "base/errors.hh"

#include <algorithm>
#include <format>

namespace analysis {
namespace {

using transport::Bytes;
using transport::ByteSpan;

// CRYPTO streams have the order of the packet number spaces.
StreamKind crypto_kind(std::size_t space) {
  if (space == 0) return StreamKind::kInitialCrypto;
  return space == 1 ? StreamKind::kHandshakeCrypto : StreamKind::kApplicationCrypto;
}

std::optional<Carriage> carriage_of(const HandshakeFacts& facts) {
  const auto is = [&](std::string_view prefix) {
    if (!facts.alpn.empty()) return facts.alpn.starts_with(prefix);
    return std::ranges::any_of(facts.offered_alpn,
                               [&](const std::string& name) { return name.starts_with(prefix); });
  };
  if (is("doq")) return Carriage::kDoq;
  if (is("h3")) return Carriage::kDoh3;
  return std::nullopt;
}

}  // namespace

QuicConversation::Side::Side(End from, HandshakeFacts& facts)
    : crypto{CryptoStream{{}, {}, HandshakeStream(from, facts)},
             CryptoStream{{}, {}, HandshakeStream(from, facts)},
             CryptoStream{{}, {}, HandshakeStream(from, facts)}} {}

DecodedPacket QuicConversation::take(End from, const captures::IpPacket& packet) {
  DecodedPacket decoded;
  decoded.protocol = Protocol::kQuic;
  decoded.ip_length = packet.ip_length;
  decoded.payload_bytes = static_cast<std::uint32_t>(packet.payload.size());
  ByteSpan rest = packet.payload;
  while (!rest.empty() && decoded.quic.size() < kMaxPacketsPerDatagram) {
    const auto header = parse_quic_header(rest, short_dcid_bytes(from, rest));
    if (!header) {
      // RFC 9000 section 14.1 allows padding behind the last packet.
      if (decoded.quic.empty() || rest[0] != 0) decoded.problem = header.error();
      break;
    }
    decoded.quic.push_back(take_packet(from, *header, rest.first(header->size), decoded));
    rest = rest.subspan(header->size);
  }
  collect_messages(decoded);
  return decoded;
}

std::size_t QuicConversation::short_dcid_bytes(End from, ByteSpan datagram) const {
  const auto& ids = side(other(from)).connection_ids;
  for (const Bytes& id : ids)
    if (datagram.size() > id.size() && std::ranges::equal(datagram.subspan(1, id.size()), id))
      return id.size();
  return ids.empty() ? 0 : ids.front().size();
}

QuicPacket QuicConversation::take_packet(End from, const QuicHeader& header, ByteSpan packet,
                                         DecodedPacket& decoded) {
  QuicPacket result{.type = header.type,
                    .version = header.version,
                    .dcid = Bytes(header.dcid.begin(), header.dcid.end()),
                    .scid = Bytes(header.scid.begin(), header.scid.end()),
                    .token = Bytes(header.token.begin(), header.token.end()),
                    .size = packet.size(),
                    .number = {},
                    .frames = {},
                    .undecrypted = {}};
  if (!header.has_frames()) return result;
  if (header.long_header()) version_ = header.version;
  const std::size_t space = packet_number_space(header.type);
  auto opened = keys_.open(from, header, packet, side(from).next_number.at(space));
  if (!opened) {
    result.undecrypted = opened.error();
    note_undecrypted(opened.error());
    return result;
  }
  // Only what can be opened is this connection's.
  if (header.long_header()) add_connection_id(from, header.scid);
  result.number = opened->number;
  auto& next = side(from).next_number.at(space);
  next = std::max(next, opened->number + 1);
  auto frames = parse_quic_frames(opened->plaintext);
  if (!frames) {
    decoded.problem =
        std::format("{} packet {}: {}", to_string(header.type), opened->number, frames.error());
    return result;
  }
  result.frames = std::move(*frames);
  for (QuicFrame& frame : result.frames) {
    take_frame(from, header.type, frame, decoded);
    frame.data = {};  // what it views ends here
  }
  return result;
}

void QuicConversation::take_frame(End from, QuicPacketType type, const QuicFrame& frame,
                                  DecodedPacket& decoded) {
  if (frame.type == quic_frame::kCrypto) take_crypto(from, type, frame, decoded);
  if (frame.type == quic_frame::kStream) take_stream(from, frame, decoded);
  if (frame.type == quic_frame::kResetStream && carriage_) carriage_->reset(from, frame.stream);
  if (frame.type == quic_frame::kNewConnectionId) add_connection_id(from, frame.data);
}

void QuicConversation::take_crypto(End from, QuicPacketType type, const QuicFrame& frame,
                                   DecodedPacket& decoded) {
  const std::size_t space = packet_number_space(type);
  CryptoStream& crypto = side(from).crypto.at(space);
  const std::uint64_t end = frame.offset + frame.length;
  const bool again = crypto.sent.add(frame.offset, end) == 0;
  decoded.data.push_back({.kind = crypto_kind(space),
                          .stream = 0,
                          .begin = frame.offset,
                          .end = end,
                          .fin = false,
                          .again = again});
  const Bytes ready = crypto.bytes.add(frame.offset, frame.data);
  if (!ready.empty()) crypto.messages.add(ready);
  if (decoded.problem.empty() && !crypto.messages.problem().empty())
    decoded.problem = crypto.messages.problem();
}

void QuicConversation::take_stream(End from, const QuicFrame& frame, DecodedPacket& decoded) {
  auto& streams = side(from).streams;
  if (streams.size() >= kMaxStreams && !streams.contains(frame.stream)) {
    decoded.problem = std::format("more than {} streams", kMaxStreams);
    return;
  }
  AppStream& stream = streams[frame.stream];
  const std::uint64_t end = frame.offset + frame.length;
  const bool new_data = stream.sent.add(frame.offset, end) > 0;
  const bool new_end = frame.fin && !stream.end;
  if (frame.fin) stream.end = end;
  decoded.data.push_back({.kind = StreamKind::kQuicStream,
                          .stream = frame.stream,
                          .begin = frame.offset,
                          .end = end,
                          .fin = frame.fin,
                          .again = !new_data && !new_end});
  const Bytes ready = stream.bytes.add(frame.offset, frame.data);
  if (!carriage_) {
    const auto kind = carriage_of(handshake_);
    if (kind) carriage_ = make_dns_carriage(*kind);
  }
  const bool finished = stream.end && stream.bytes.contiguous() >= *stream.end;
  if (carriage_ && (!ready.empty() || (new_end && finished)))
    carriage_->take(from, frame.stream, ready, finished);
}

void QuicConversation::collect_messages(DecodedPacket& decoded) {
  if (!carriage_) return;
  for (const CarriedMessage& message : carriage_->take_messages()) {
    const MessageKind kind =
        message.from == End::kClient ? MessageKind::kDnsQuery : MessageKind::kDnsAnswer;
    MessageMap& map = side(message.from).streams[message.stream].messages;
    for (const ByteRange& range : message.ranges)
      map.add({.kind = kind, .begin = range.first, .end = range.end});
    decoded.dns.push_back(dns_facts(message));
  }
  if (decoded.problem.empty()) decoded.problem = carriage_->problem();
}

void QuicConversation::add_connection_id(End from, ByteSpan id) {
  auto& ids = side(from).connection_ids;
  const bool known =
      std::ranges::any_of(ids, [&](const Bytes& other) { return std::ranges::equal(other, id); });
  if (!known && ids.size() < kMaxConnectionIds) ids.emplace_back(id.begin(), id.end());
}

void QuicConversation::note_undecrypted(const std::string& why) {
  ++undecrypted_;
  if (sight_ends_.empty()) sight_ends_ = why;
}

void QuicConversation::describe(End from, DecodedPacket& packet) const {
  packet.messages.clear();
  const Side& sender = side(from);
  for (const DataRange& range : packet.data) {
    const MessageMap* map = nullptr;
    if (range.kind == StreamKind::kQuicStream) {
      const auto stream = sender.streams.find(range.stream);
      if (stream != sender.streams.end()) map = &stream->second.messages;
    } else {
      for (std::size_t space = 0; space < kCryptoStreams; ++space)
        if (crypto_kind(space) == range.kind) map = &sender.crypto.at(space).messages.map();
    }
    if (map != nullptr)
      std::ranges::copy(map->parts(range.begin, range.end), std::back_inserter(packet.messages));
  }
}

bool QuicConversation::begins_another(End from, const captures::IpPacket& packet) const {
  // Until the server has answered, a new connection ID may belong to another attempt of this one,
  // as after Version Negotiation.
  if (from != End::kClient || !handshake_.cipher_suite) return false;
  const auto header = parse_quic_header(packet.payload, 0);
  if (!header || header->type != QuicPacketType::kInitial) return false;
  return std::ranges::none_of(client_.connection_ids, [&](const Bytes& id) {
    return std::ranges::equal(id, header->scid);
  });
}

// RFC 9000 section 5.2: the connection ID tells, wherever a packet comes from.
bool QuicConversation::goes_on_with(End from, const captures::IpPacket& packet) const {
  if (packet.tuple.protocol != captures::IpProtocol::kUdp || packet.payload.empty()) return false;
  constexpr std::uint8_t kLongHeader = 0x80;
  if ((packet.payload[0] & kLongHeader) != 0) return false;
  return std::ranges::any_of(side(other(from)).connection_ids, [&](const Bytes& id) {
    return !id.empty() && packet.payload.size() > id.size() &&
           std::ranges::equal(ByteSpan(packet.payload).subspan(1, id.size()), id);
  });
}

ConversationFacts QuicConversation::facts() const {
  return {.protocol = "QUIC",
          .quic_version = version_,
          .handshake = handshake_,
          .undecrypted = undecrypted_,
          .sight_ends = sight_ends_};
}

}  // namespace analysis
