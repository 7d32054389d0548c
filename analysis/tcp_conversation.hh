#pragma once

// A TCP connection on one 5-tuple (RFC 9293): plain DNS, TLS with DNS inside, or something else.

#include "analysis/byte_stream.hh"
#include "analysis/conversation.hh"
#include "analysis/dns_carriage.hh"
#include "analysis/interval_set.hh"
#include "analysis/tls_record_stream.hh"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace analysis {

class TcpConversation : public Conversation {
 public:
  explicit TcpConversation(const SecretStore& secrets)
      : client_(End::kClient, secrets, handshake_), server_(End::kServer, secrets, handshake_) {}
  // The sides look into `handshake_`.
  TcpConversation(const TcpConversation&) = delete;
  TcpConversation& operator=(const TcpConversation&) = delete;

  DecodedPacket take(End from, const captures::IpPacket& packet) override;
  void describe(End from, DecodedPacket& packet) const override;
  ConversationFacts facts() const override;
  bool begins_another(End from, const captures::IpPacket& packet) const override;

 private:
  enum class Content : std::uint8_t { kUnknown, kTls, kDns, kOther };
  // What one end sent.
  struct Side {
    Side(End from, const SecretStore& secrets, HandshakeFacts& facts)
        : records(from, secrets, facts) {}
    std::optional<std::uint32_t> first_sequence;  // of the first byte of data
    std::uint64_t position(std::uint32_t sequence) const;
    ByteStream bytes;
    IntervalSet sent;
    bool syn_sent = false;
    bool fin_sent = false;
    TlsRecordStream records;
    MessageMap plain_messages;
  };

  Side& side(End end) { return end == End::kClient ? client_ : server_; }
  const Side& side(End end) const { return end == End::kClient ? client_ : server_; }
  TcpSegment read_segment(End from, const captures::IpPacket& packet);
  void note_data(End from, const TcpSegment& segment, DecodedPacket& decoded);
  void take_bytes(End from, transport::ByteSpan bytes, DecodedPacket& decoded);
  void take_application(End from, transport::ByteSpan bytes, DecodedPacket& decoded);

  HandshakeFacts handshake_;
  Side client_;
  Side server_;
  Content content_ = Content::kUnknown;
  std::unique_ptr<DnsCarriage> carriage_;
};

}  // namespace analysis
