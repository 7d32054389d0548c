#pragma once

// A QUIC connection attempt on one 5-tuple (RFC 9000, RFC 9001), whatever application it carries.

#include "analysis/byte_stream.hh"
#include "analysis/conversation.hh"
#include "analysis/dns_carriage.hh"
#include "analysis/interval_set.hh"
#include "analysis/quic_keys.hh"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace analysis {

class QuicConversation : public Conversation {
 public:
  explicit QuicConversation(const SecretStore& secrets) : keys_(secrets, handshake_) {}
  // `keys_` looks into `handshake_`.
  QuicConversation(const QuicConversation&) = delete;
  QuicConversation& operator=(const QuicConversation&) = delete;

  DecodedPacket take(End from, const captures::IpPacket& packet) override;
  void describe(End from, DecodedPacket& packet) const override;
  ConversationFacts facts() const override;
  bool begins_another(End from, const captures::IpPacket& packet) const override;
  bool goes_on_with(End from, const captures::IpPacket& packet) const override;

  // Against hostile captures.
  static constexpr std::size_t kMaxPacketsPerDatagram = 32;
  static constexpr std::size_t kMaxStreams = 1024;
  static constexpr std::size_t kMaxConnectionIds = 64;

 private:
  static constexpr std::size_t kCryptoStreams = 3;  // Initial, Handshake, 1-RTT

  struct CryptoStream {
    ByteStream bytes;
    IntervalSet sent;
    HandshakeStream messages;
  };
  // One direction of an application stream.
  struct AppStream {
    ByteStream bytes;
    IntervalSet sent;
    std::optional<std::uint64_t> end;  // set by the FIN
    MessageMap messages;
  };
  // What one end sent.
  struct Side {
    Side(End from, HandshakeFacts& facts);
    std::array<std::uint64_t, kCryptoStreams> next_number{};  // per packet number space
    std::vector<transport::Bytes> connection_ids;             // that the other end may address
    std::array<CryptoStream, kCryptoStreams> crypto;
    std::map<std::uint64_t, AppStream> streams;
  };

  Side& side(End end) { return end == End::kClient ? client_ : server_; }
  const Side& side(End end) const { return end == End::kClient ? client_ : server_; }
  // How long the connection ID of a short header is that `from` sent.
  std::size_t short_dcid_bytes(End from, transport::ByteSpan datagram) const;
  QuicPacket take_packet(End from, const QuicHeader& header, transport::ByteSpan packet,
                         DecodedPacket& decoded);
  void take_frame(End from, QuicPacketType type, const QuicFrame& frame, DecodedPacket& decoded);
  void take_crypto(End from, QuicPacketType type, const QuicFrame& frame, DecodedPacket& decoded);
  void take_stream(End from, const QuicFrame& frame, DecodedPacket& decoded);
  void collect_messages(DecodedPacket& decoded);
  void add_connection_id(End from, transport::ByteSpan id);
  void note_undecrypted(const std::string& why);

  HandshakeFacts handshake_;
  QuicKeys keys_;
  Side client_{End::kClient, handshake_};
  Side server_{End::kServer, handshake_};
  std::unique_ptr<DnsCarriage> carriage_;
  std::uint32_t version_ = 0;
  std::uint64_t undecrypted_ = 0;
  std::string sight_ends_;
};

}  // namespace analysis
