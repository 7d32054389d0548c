// Whatever datagrams two ends send, a decoded packet lies within its datagram, its frames within
// the packet, and its messages within themselves. Built with libFuzzer.
//
// Input: a byte that chooses what is known before (0 nothing; else hellos and secrets, ALPN "doq",
// "h3" or another), then pieces (fuzz_input.hh). Their kind: bit 0 the sender; bits 1 to 3 what the
// bytes are, a datagram or the frames of a packet of some type, which is then sealed; bit 4 that
// the packet has the number of the one before; bit 5 that it stands behind it in one datagram.

#include "analysis/quic_conversation.hh"
#include "tests/analysis/sealing.hh"
#include "tests/fuzz/decoded_checks.hh"
#include "tests/fuzz/fuzz_input.hh"
#include "tests/fuzz/known_hellos.hh"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using analysis::End;
using analysis::SecretLabel;
using enum analysis::QuicPacketType;
using transport::Bytes;
using transport::ByteSpan;

const Bytes kFirstDcid{1, 2, 3, 4, 5, 6, 7, 8};
const Bytes kClientId{0x0c};
const Bytes kServerId{0x05, 0x05};

struct Datagram {
  End from = End::kClient;
  Bytes bytes;
};

analysis::PacketKeys keys_of(analysis::QuicPacketType type, End from, bool updated) {
  const bool client = from == End::kClient;
  SecretLabel label = client ? SecretLabel::kClientTraffic0 : SecretLabel::kServerTraffic0;
  if (type == kZeroRtt) label = SecretLabel::kClientEarlyTraffic;
  if (type == kHandshake)
    label = client ? SecretLabel::kClientHandshakeTraffic : SecretLabel::kServerHandshakeTraffic;
  analysis::PacketKeys keys{.suite = analysis::CipherSuite::kAes128Gcm,
                            .secret = fuzz::secret_of(label),
                            .header_secret = {}};
  if (updated) {
    keys.header_secret = keys.secret;
    keys.secret = expand_label(keys.suite, keys.secret, "quic ku", keys.secret.size());
  }
  return keys;
}

class Sender {
 public:
  void hello(End from, const Bytes& message) {
    Bytes frames{analysis::quic_frame::kCrypto, 0};
    analysis::append_varint(frames, message.size());
    transport::append(frames, message);
    add(from, seal(from, kInitial, false, frames), false);
  }
  void piece(const fuzz::Piece& piece) {
    const End from = (piece.kind & 1U) != 0 ? End::kServer : End::kClient;
    const bool behind = (piece.kind & 0x20U) != 0;
    const unsigned what = piece.kind >> 1U & 7U;
    const Bytes bytes(piece.bytes.begin(), piece.bytes.end());
    if ((piece.kind & 0x10U) != 0 && number_ > 0) --number_;
    constexpr analysis::QuicPacketType kTypes[]{kInitial, kHandshake, kOneRtt, kZeroRtt};
    if (what == 0 || what > 5) {
      add(from, bytes, behind);
    } else {
      const bool updated = what == 5;
      add(from, seal(from, updated ? kOneRtt : kTypes[what - 1], updated, bytes), behind);
    }
  }
  const std::vector<Datagram>& datagrams() const { return datagrams_; }

 private:
  Bytes seal(End from, analysis::QuicPacketType type, bool updated, const Bytes& frames) {
    const bool client = from == End::kClient;
    const analysis::PlainPacket packet{.type = type,
                                       .version = analysis::QuicVersion::kV1,
                                       .dcid = !client            ? kClientId
                                               : type == kInitial ? kFirstDcid
                                                                  : kServerId,
                                       .scid = client ? kClientId : kServerId,
                                       .token = {},
                                       .number = number_++,
                                       .phase = updated,
                                       .frames = frames};
    return type == kInitial ? seal_initial(from, packet, kFirstDcid)
                            : seal_packet(packet, keys_of(type, from, updated));
  }
  void add(End from, const Bytes& bytes, bool behind) {
    if (behind && !datagrams_.empty() && datagrams_.back().from == from) {
      transport::append(datagrams_.back().bytes, bytes);
    } else {
      datagrams_.push_back({from, bytes});
    }
  }

  std::vector<Datagram> datagrams_;
  std::uint64_t number_ = 0;
};

captures::IpPacket packet_of(ByteSpan payload) {
  captures::IpPacket packet;
  packet.tuple.protocol = captures::IpProtocol::kUdp;
  packet.ip_length = static_cast<std::uint32_t>(28 + payload.size());
  packet.payload = payload;
  return packet;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  analysis::SecretStore secrets;
  Sender sender;
  if (data[0] % 4 != 0) {
    constexpr std::string_view kNames[]{"doq", "h3", "hq"};
    fuzz::add_known_secrets(secrets);
    sender.hello(End::kClient, fuzz::client_hello(kNames[data[0] % 4 - 1]));
    sender.hello(End::kServer, fuzz::server_hello());
  }
  for (const fuzz::Piece& piece : fuzz::pieces_of({data + 1, size - 1})) sender.piece(piece);
  analysis::QuicConversation conversation(secrets);
  std::vector<std::pair<End, analysis::DecodedPacket>> decoded;
  for (const Datagram& datagram : sender.datagrams())
    decoded.emplace_back(datagram.from,
                         conversation.take(datagram.from, packet_of(datagram.bytes)));
  if (data[0] % 4 != 0) LABRUN_ASSERT(conversation.facts().handshake.cipher_suite.has_value());
  for (auto& [from, packet] : decoded) {
    conversation.describe(from, packet);
    fuzz::check_decoded(packet);
  }
  return 0;
}
