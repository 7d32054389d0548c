#pragma once

// The keys of one QUIC connection as an observer comes by them: Initial keys from the wire, the
// others from secrets that came with the capture (RFC 9001 section 5).

#include "analysis/aead.hh"
#include "analysis/end.hh"
#include "analysis/quic_header.hh"
#include "analysis/secret_store.hh"
#include "analysis/tls_handshake.hh"
#include "transport/bytes.hh"

#include <array>
#include <cstdint>
#include <deque>
#include <expected>
#include <optional>
#include <string>

namespace analysis {

// A packet without its protection.
struct OpenedPacket {
  std::uint64_t number = 0;
  transport::Bytes plaintext;
};

class QuicKeys {
 public:
  // Both must outlive the keys; `facts` is what the handshake has told so far.
  QuicKeys(const SecretStore& secrets, const HandshakeFacts& facts)
      : secrets_(&secrets), facts_(&facts) {}

  // `packet` is the whole packet, `expected` the number after the largest seen in its space. The
  // error says why it stays closed.
  std::expected<OpenedPacket, std::string> open(End from, const QuicHeader& header,
                                                transport::ByteSpan packet, std::uint64_t expected);

 private:
  // One set for each Destination Connection ID that a client's Initials had: a Retry changes it.
  struct InitialKeys {
    QuicVersion version;
    transport::Bytes dcid;
    PacketProtection client;
    PacketProtection server;
  };
  struct OneRtt {
    std::optional<PacketProtection> previous;  // packets of it may come late
    PacketProtection current;
    PacketProtection next;
    bool phase = false;
  };
  static constexpr std::size_t kMaxInitialKeys = 4;

  std::expected<OpenedPacket, std::string> open_initial(End from, const QuicHeader& header,
                                                        transport::ByteSpan packet,
                                                        std::uint64_t expected);
  std::expected<OpenedPacket, std::string> open_with_secret(End from, const QuicHeader& header,
                                                            transport::ByteSpan packet,
                                                            std::uint64_t expected);
  std::optional<OpenedPacket> open_one_rtt(End from, const QuicHeader& header,
                                           transport::ByteSpan packet, std::uint64_t expected);
  void learn(End from, const QuicHeader& header, CipherSuite suite, const Secret& secret);

  const SecretStore* secrets_;
  const HandshakeFacts* facts_;
  std::uint32_t version_ = static_cast<std::uint32_t>(QuicVersion::kV1);  // of the last long header
  std::deque<InitialKeys> initial_;                                       // newest first
  std::array<std::optional<PacketProtection>, 2> handshake_;
  std::optional<PacketProtection> zero_rtt_;
  std::array<std::optional<OneRtt>, 2> one_rtt_;
};

}  // namespace analysis
