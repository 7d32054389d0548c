#pragma once

// One direction of TLS over TCP: records (RFC 8446 section 5) taken apart, opened where the capture
// brings the keys (TLS 1.3 only), and mapped to the TCP bytes that carry them.

#include "analysis/aead.hh"
#include "analysis/end.hh"
#include "analysis/message.hh"
#include "analysis/secret_store.hh"
#include "analysis/tls_handshake.hh"
#include "transport/bytes.hh"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace analysis {

class TlsRecordStream {
 public:
  // `secrets` and `facts` must outlive the stream.
  TlsRecordStream(End from, const SecretStore& secrets, HandshakeFacts& facts)
      : from_(from),
        secrets_(&secrets),
        facts_(&facts),
        plain_handshake_(from, facts),
        sealed_handshake_(from, facts) {}

  // In-order TCP payload; gives the application data that it completes.
  transport::Bytes add(transport::ByteSpan bytes);

  // Names the application data in the TCP bytes that carry it: bytes [begin, end) of it are `kind`.
  void label_application(MessageKind kind, std::uint64_t begin, std::uint64_t end);
  // The messages in bytes [begin, end) of the TCP stream.
  std::vector<MessagePart> parts(std::uint64_t begin, std::uint64_t end) const;

  std::uint64_t undecrypted() const { return undecrypted_; }
  const std::string& sight_ends() const { return sight_ends_; }
  // Not TLS, or malformed; after that nothing more is read.
  const std::string& problem() const { return problem_; }

 private:
  // Keys, in the order in which a direction can use them.
  enum class Level : std::uint8_t { kNone, kEarlyAes, kEarlyChaCha, kHandshake, kTraffic };
  enum class Content : std::uint8_t { kPlainHandshake, kSealedHandshake, kApplication, kOther };
  // A record, or the one whose beginning has been seen.
  struct Record {
    std::uint64_t begin = 0;  // in the TCP stream
    std::uint64_t end = 0;
    Content content = Content::kOther;
    MessageKind kind = MessageKind::kEncryptedRecord;  // of kApplication and kOther
    std::uint64_t inner_begin = 0;                     // in the stream that its content belongs to
    std::uint64_t inner_end = 0;
  };
  struct Opened {
    std::uint8_t type = 0;
    transport::Bytes content;
  };

  void take_record(std::uint8_t type, transport::ByteSpan header, transport::ByteSpan body,
                   transport::Bytes& application);
  void take_content(Record record, std::uint8_t type, transport::ByteSpan content, bool sealed,
                    transport::Bytes& application);
  std::optional<Opened> open(transport::ByteSpan header, transport::ByteSpan body);
  bool next_keys();
  std::optional<Aead> keys_for(SecretLabel label);
  std::optional<Aead> early_keys(Level level) const;
  void announce_incomplete();

  End from_;
  const SecretStore* secrets_;
  HandshakeFacts* facts_;
  HandshakeStream plain_handshake_;
  HandshakeStream sealed_handshake_;
  std::uint64_t plain_handshake_bytes_ = 0;
  std::uint64_t sealed_handshake_bytes_ = 0;
  std::uint64_t application_bytes_ = 0;
  transport::Bytes buffer_;  // from the incomplete record on
  std::uint64_t consumed_ = 0;
  Level level_ = Level::kNone;
  std::optional<Aead> keys_;
  std::uint64_t sequence_ = 0;
  std::vector<Record> records_;
  std::vector<std::size_t> application_records_;  // which of them
  std::optional<Record> incomplete_;
  std::uint64_t undecrypted_ = 0;
  std::string sight_ends_;
  std::string problem_;
};

}  // namespace analysis
