#pragma once

// The messages that packets carry pieces of: TLS handshake messages (RFC 8446 section 4), other
// records, DNS. They are what a packet means to a reader.

#include <cstdint>
#include <string_view>
#include <vector>

namespace analysis {

enum class MessageKind : std::uint8_t {
  kClientHello,
  kServerHello,
  kHelloRetryRequest,
  kNewSessionTicket,
  kEndOfEarlyData,
  kEncryptedExtensions,
  kCertificate,
  kCertificateRequest,
  kCertificateVerify,
  kFinished,
  kKeyUpdate,
  kOtherHandshake,
  kChangeCipherSpec,
  kAlert,
  kEncryptedRecord,  // cannot be opened
  kHttp,             // application data that is no DNS message: settings, headers
  kDnsQuery,
  kDnsAnswer,
};
std::string_view to_string(MessageKind kind);  // "ClientHello", "DNS query", ...
bool is_handshake(MessageKind kind);

// A message and where it lies in the byte stream that carries it.
struct Message {
  MessageKind kind = MessageKind::kOtherHandshake;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// What of a message a packet carries: bytes [offset, offset + length) of `total`.
struct MessagePart {
  MessageKind kind = MessageKind::kOtherHandshake;
  std::uint64_t total = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool whole() const { return length == total; }
  bool first() const { return offset == 0; }
  bool last() const { return offset + length == total; }
  bool operator==(const MessagePart&) const = default;
};

// The messages of one byte stream, in order, ready to be looked up by position.
class MessageMap {
 public:
  // Messages come in the order of their `begin`; beyond kMaxMessages they are not kept.
  void add(const Message& message);
  std::vector<MessagePart> parts(std::uint64_t begin, std::uint64_t end) const;
  const std::vector<Message>& messages() const { return messages_; }

  static constexpr std::size_t kMaxMessages = 100'000;

 private:
  std::vector<Message> messages_;
};

}  // namespace analysis
