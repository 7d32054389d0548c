#pragma once

// TLS 1.3 handshake messages (RFC 8446 section 4) as far as an explanation needs them: which bytes
// of the stream are which message, and what was offered and chosen.

#include "analysis/end.hh"
#include "analysis/message.hh"
#include "analysis/secret_store.hh"
#include "transport/bytes.hh"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace analysis {

// What both ends said. Filled as their messages come.
struct HandshakeFacts {
  std::optional<ClientRandom> client_random;
  std::uint64_t client_hello_bytes = 0;  // header included; of the first one
  std::string server_name;               // SNI
  std::vector<std::string> offered_alpn;
  std::vector<std::uint16_t> offered_groups;
  std::vector<std::uint16_t> key_shares;
  bool offered_early_data = false;
  bool offered_session_ticket = false;  // a pre_shared_key extension
  std::uint64_t server_hello_bytes = 0;
  bool hello_retry_request = false;
  std::optional<std::uint16_t> cipher_suite;
  std::optional<std::uint16_t> group;
  std::uint16_t version = 0;  // 0x0304 is TLS 1.3; what the ServerHello chose
  bool accepted_session_ticket = false;
  bool accepted_early_data = false;
  std::string alpn;  // chosen; in TLS 1.3 only visible with keys
  std::uint64_t certificate_bytes = 0;
  std::optional<std::uint64_t> client_max_ack_delay_ms;  // QUIC transport parameters
  std::optional<std::uint64_t> server_max_ack_delay_ms;
  // RFC 9000 section 18.2: delays in ACK frames are in units of two to this power microseconds.
  std::uint64_t client_ack_delay_exponent = kDefaultAckDelayExponent;
  std::uint64_t server_ack_delay_exponent = kDefaultAckDelayExponent;

  static constexpr std::uint64_t kDefaultAckDelayExponent = 3;
  static constexpr std::uint64_t kMaxAckDelayExponent = 20;
  bool finished_by_client = false;
  bool finished_by_server = false;
};

// IANA's name of a group: "X25519MLKEM768"; others as "group 0x1234".
std::string group_name(std::uint16_t group);

// One direction of handshake messages at one place: a CRYPTO stream, or the handshake records of a
// TLS connection. Writes what it learns into `facts`, which must outlive it.
class HandshakeStream {
 public:
  // A Certificate of a large chain has some 100 kB; more is nothing that we read.
  static constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 20U;

  HandshakeStream(End from, HandshakeFacts& facts) : from_(from), facts_(&facts) {}

  // In-order bytes. Messages that this completes, or whose beginning makes them known, are in
  // map().
  void add(transport::ByteSpan bytes);
  const MessageMap& map() const { return map_; }
  // In words; empty while all is well. After a problem nothing more is read.
  const std::string& problem() const { return problem_; }

 private:
  void read_message(std::uint8_t type, transport::ByteSpan body);

  End from_;
  HandshakeFacts* facts_;
  MessageMap map_;
  transport::Bytes buffer_;  // from the message that is incomplete on
  std::uint64_t consumed_ = 0;
  bool announced_ = false;  // the incomplete message is in the map
  std::string problem_;
};

}  // namespace analysis
