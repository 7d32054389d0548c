#include "analysis/quic_keys.hh"

#include <algorithm>
#include <utility>
#include <vector>

namespace analysis {
namespace {

using transport::Bytes;
using transport::ByteSpan;

constexpr std::size_t kMaxNumberBytes = 4;

struct Unmasked {
  Bytes header;  // with header protection taken away
  std::uint64_t number = 0;
  bool phase = false;  // the key phase bit of short headers
};

// RFC 9001 section 5.4.1; nullopt where the packet is too short to have a sample.
std::optional<Unmasked> unmask(const PacketProtection& protection, const QuicHeader& header,
                               ByteSpan packet, std::uint64_t expected) {
  const std::size_t sample_at = header.number_offset + kMaxNumberBytes;
  if (packet.size() < sample_at + PacketProtection::kSampleBytes) return std::nullopt;
  const auto mask =
      protection.header_mask(packet.subspan(sample_at, PacketProtection::kSampleBytes));
  const std::uint8_t first = packet[0] ^ (mask[0] & (header.long_header() ? 0x0fU : 0x1fU));
  const std::size_t number_bytes = (first & 3U) + 1;
  Unmasked result;
  result.header.assign(packet.begin(),
                       packet.begin() + static_cast<std::ptrdiff_t>(header.number_offset));
  result.header[0] = first;
  std::uint64_t truncated = 0;
  for (std::size_t index = 0; index < number_bytes; ++index) {
    const std::uint8_t byte = packet[header.number_offset + index] ^ mask.at(1 + index);
    result.header.push_back(byte);
    truncated = truncated << 8U | byte;
  }
  result.number = full_packet_number(truncated, number_bytes, expected);
  result.phase = (first & 4U) != 0;
  return result;
}

std::optional<OpenedPacket> open_with(const PacketProtection& protection, const QuicHeader& header,
                                      ByteSpan packet, std::uint64_t expected) {
  const auto unmasked = unmask(protection, header, packet, expected);
  if (!unmasked) return std::nullopt;
  auto plaintext =
      protection.open(unmasked->number, unmasked->header, packet.subspan(unmasked->header.size()));
  if (!plaintext) return std::nullopt;
  return OpenedPacket{.number = unmasked->number, .plaintext = std::move(*plaintext)};
}

std::vector<CipherSuite> candidates(const HandshakeFacts& facts, const Secret& secret, bool early) {
  // Early data uses the suite of the session before.
  if (facts.cipher_suite && !early) {
    const auto suite = known_cipher_suite(*facts.cipher_suite);
    if (suite) return {*suite};
  }
  constexpr std::size_t kSha384Bytes = 48;
  if (secret.size() == kSha384Bytes) return {CipherSuite::kAes256Gcm};
  return {CipherSuite::kAes128Gcm, CipherSuite::kChaCha20Poly1305};
}

SecretLabel label_of(QuicPacketType type, End from) {
  if (type == QuicPacketType::kZeroRtt) return SecretLabel::kClientEarlyTraffic;
  const bool client = from == End::kClient;
  if (type == QuicPacketType::kHandshake)
    return client ? SecretLabel::kClientHandshakeTraffic : SecretLabel::kServerHandshakeTraffic;
  return client ? SecretLabel::kClientTraffic0 : SecretLabel::kServerTraffic0;
}

std::size_t index_of(End end) {
  return static_cast<std::size_t>(end);
}

}  // namespace

std::expected<OpenedPacket, std::string> QuicKeys::open(End from, const QuicHeader& header,
                                                        ByteSpan packet, std::uint64_t expected) {
  if (header.long_header()) version_ = header.version;
  if (header.type == QuicPacketType::kInitial) return open_initial(from, header, packet, expected);
  const auto with = [&](const std::optional<PacketProtection>& protection) {
    return protection ? open_with(*protection, header, packet, expected) : std::nullopt;
  };
  std::optional<OpenedPacket> opened;
  if (header.type == QuicPacketType::kHandshake) opened = with(handshake_.at(index_of(from)));
  if (header.type == QuicPacketType::kZeroRtt) opened = with(zero_rtt_);
  if (header.type == QuicPacketType::kOneRtt) opened = open_one_rtt(from, header, packet, expected);
  if (opened) return std::move(*opened);
  return open_with_secret(from, header, packet, expected);
}

std::expected<OpenedPacket, std::string> QuicKeys::open_initial(End from, const QuicHeader& header,
                                                                ByteSpan packet,
                                                                std::uint64_t expected) {
  const QuicVersion version = *known_quic_version(header.version);
  const auto try_keys = [&](const InitialKeys& keys) {
    return open_with(from == End::kClient ? keys.client : keys.server, header, packet, expected);
  };
  for (const InitialKeys& keys : initial_)
    if (keys.version == version)
      if (auto opened = try_keys(keys)) return std::move(*opened);
  // The server may answer in another version than it was asked in (RFC 9368); its keys then come
  // from the same connection ID.
  if (from == End::kServer && initial_.empty())
    return std::unexpected("the client's first Initial packet is not in the capture");
  const Bytes dcid =
      from == End::kClient ? Bytes(header.dcid.begin(), header.dcid.end()) : initial_.front().dcid;
  const bool known = std::ranges::any_of(initial_, [&](const InitialKeys& keys) {
    return keys.version == version && keys.dcid == dcid;
  });
  if (!known) {
    const auto protection = [&](End end) {
      return PacketProtection(version, CipherSuite::kAes128Gcm, initial_secret(version, dcid, end));
    };
    InitialKeys keys{version, dcid, protection(End::kClient), protection(End::kServer)};
    if (auto opened = try_keys(keys)) {
      initial_.push_front(std::move(keys));
      if (initial_.size() > kMaxInitialKeys) initial_.pop_back();
      return std::move(*opened);
    }
  }
  return std::unexpected(
      "Initial keys do not fit: changed bytes, or an earlier Initial is missing");
}

std::expected<OpenedPacket, std::string> QuicKeys::open_with_secret(End from,
                                                                    const QuicHeader& header,
                                                                    ByteSpan packet,
                                                                    std::uint64_t expected) {
  if (!facts_->client_random) return std::unexpected("the ClientHello is not in the capture");
  const auto secret = secrets_->find(*facts_->client_random, label_of(header.type, from));
  if (!secret)
    return std::unexpected(secrets_->knows(*facts_->client_random)
                               ? "its key is not among those in the capture"
                               : "no keys of this connection in the capture");
  const bool early = header.type == QuicPacketType::kZeroRtt;
  for (const CipherSuite suite : candidates(*facts_, *secret, early)) {
    const PacketProtection trial(*known_quic_version(version_), suite, *secret);
    if (auto opened = open_with(trial, header, packet, expected)) {
      learn(from, header, suite, *secret);
      return std::move(*opened);
    }
  }
  return std::unexpected("its keys do not fit: changed bytes, or not a packet of this connection");
}

void QuicKeys::learn(End from, const QuicHeader& header, CipherSuite suite, const Secret& secret) {
  PacketProtection protection(*known_quic_version(version_), suite, secret);
  if (header.type == QuicPacketType::kZeroRtt) {
    zero_rtt_ = std::move(protection);
  } else if (header.type == QuicPacketType::kHandshake) {
    handshake_.at(index_of(from)) = std::move(protection);
  } else if (!one_rtt_.at(index_of(from))) {
    PacketProtection next = protection.updated();
    one_rtt_.at(index_of(from)) = OneRtt{.previous = std::nullopt,
                                         .current = std::move(protection),
                                         .next = std::move(next),
                                         .phase = false};
  }
}

std::optional<OpenedPacket> QuicKeys::open_one_rtt(End from, const QuicHeader& header,
                                                   ByteSpan packet, std::uint64_t expected) {
  auto& keys = one_rtt_.at(index_of(from));
  if (!keys) return std::nullopt;
  const auto unmasked = unmask(keys->current, header, packet, expected);
  if (!unmasked) return std::nullopt;
  if (unmasked->phase == keys->phase) return open_with(keys->current, header, packet, expected);
  auto opened = open_with(keys->next, header, packet, expected);
  if (!opened) {
    return keys->previous ? open_with(*keys->previous, header, packet, expected) : std::nullopt;
  }
  PacketProtection after = keys->next.updated();
  keys->previous = std::exchange(keys->current, std::exchange(keys->next, std::move(after)));
  keys->phase = unmasked->phase;
  return opened;
}

}  // namespace analysis
