#pragma once

// What a packet is, as rules of the packet gate and its log name it. One packet can be several
// things: a datagram with an Initial and a Handshake packet that completes a ServerHello.

#include "analysis/decoded_packet.hh"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {

enum class Meaning : std::uint8_t {
  kSyn,  // without ACK
  kSynAck,
  kTcpAck,  // nothing but an acknowledgement
  kTcpData,
  kFin,
  kRst,
  kQuicInitial,
  kQuicZeroRtt,
  kQuicHandshake,
  kQuicOneRtt,
  kQuicRetry,
  kQuicVersionNegotiation,
  kQuicAck,  // every QUIC packet of the datagram only acknowledges
  kClientHello,
  kServerHello,
  kHelloRetryRequest,
  kEncryptedExtensions,
  kCertificate,
  kCertificateVerify,
  kFinished,
  kNewSessionTicket,
  kDnsQuery,
  kDnsAnswer,
  kIcmp,
};
inline constexpr std::size_t kMeanings = 24;

std::string_view to_string(Meaning meaning);  // "syn", "quic-initial", "tls-client-hello", ...
std::optional<Meaning> parse_meaning(std::string_view name);
std::span<const std::string_view> meaning_names();  // in the order of Meaning

// What a packet has of a message: its first bytes, its last bytes, both, or neither. A ClientHello
// in many small frames is one message all the same.
struct MeaningPart {
  Meaning meaning = Meaning::kClientHello;
  bool first = false;
  bool last = false;
  bool operator==(const MeaningPart&) const = default;
};

struct PacketMeaning {
  std::bitset<kMeanings> is;
  std::vector<MeaningPart> parts;  // of TLS and DNS messages, each kind once
  bool has(Meaning meaning) const { return is.test(static_cast<std::size_t>(meaning)); }
  // Equal for packets that mean the same though keys, signatures and thus lengths differ: what the
  // packet is, QUIC packet numbers, which parts of which messages.
  std::string signature;
};

// `packet` has been described (Conversation::describe()).
PacketMeaning meaning_of(const DecodedPacket& packet);

}  // namespace analysis
