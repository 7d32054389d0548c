#pragma once

// TLS settings of one role, made once and shared by its connections: OpenSSL's SSL_CTX.

#include "transport/bytes.hh"

#include <openssl/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace transport {

enum class Role { kClient, kServer };
enum class TlsCarrier { kStream, kQuic };

// ALPN identifiers (RFC 7858 section 3.1 by registry, RFC 9113, RFC 9114, RFC 9250).
inline constexpr std::string_view kAlpnDot = "dot";
inline constexpr std::string_view kAlpnHttp2 = "h2";
inline constexpr std::string_view kAlpnHttp3 = "h3";
inline constexpr std::string_view kAlpnDoq = "doq";

enum class Verification {
  kNone,     // any certificate passes
  kSystem,   // the system's trust store
  kAnchors,  // trust_anchors_pem and nothing else
};

// What a server does with data that comes before the handshake's end (RFC 8446 section 2.3).
enum class EarlyData {
  kNone,    // its tickets allow none
  kAccept,  // also a second time: a lab's queries may be replayed
  kReject,  // its tickets allow it, yet it is refused, as after a change of ticket keys
};

// What a client keeps of a connection to resume it with the next. Holds secrets.
struct Resumption {
  Bytes session;  // of RFC 8446 section 4.6.1, as OpenSSL serialises it
  // Of the server's QUIC transport parameters those that early data has to obey (RFC 9000 section
  // 7.4.1); empty over TCP.
  Bytes quic_parameters;
};

// Gets the session that each NewSessionTicket makes, as Resumption has it. Must not throw.
using TicketSink = std::function<void(ByteSpan session)>;

// Gets each line of the NSS key log (SSLKEYLOGFILE), without a newline. Must not throw.
using KeylogSink = std::function<void(std::string_view line)>;

struct TlsSettings {
  Role role = Role::kClient;
  TlsCarrier carrier = TlsCarrier::kStream;
  // Key exchange groups in order of preference, as OpenSSL names them. A client sends a key share
  // for the first only. Empty: OpenSSL's default, which sends two.
  std::vector<std::string> groups;
  // A client offers them in this order and, except over QUIC, goes on without an agreement. A
  // server takes the first of its own that the client offers and ends the handshake when none fits
  // (RFC 7301 section 3.2); it goes on with a client that offers none, except over QUIC. Empty:
  // ALPN is not used.
  std::vector<std::string> alpn;
  // Server: leaf first, then intermediates; sent as they are.
  std::string certificate_chain_pem;
  std::string private_key_pem;
  // Client.
  Verification verification = Verification::kSystem;
  std::string trust_anchors_pem;
  bool allow_tls12 = false;
  // Server: NewSessionTicket messages after a full handshake. None keeps cold measurements free of
  // bytes that nobody uses.
  std::size_t session_tickets = 0;
  EarlyData early_data = EarlyData::kNone;
  // Client. Null: tickets are ignored.
  TicketSink ticket;
  // Null: no key log.
  KeylogSink keylog;
};

// What a handshake agreed on. Empty strings until it did.
struct TlsFacts {
  std::string version;  // "TLSv1.3"
  std::string cipher;   // "TLS_AES_128_GCM_SHA256"
  std::string group;    // IANA's name: "X25519MLKEM768", "X25519", "secp256r1"
  std::string alpn;     // "doq"
  bool resumed = false;
  bool early_data_accepted = false;
  std::string verify_error;  // client: why the server's certificate did not pass; also set where
                             // verification is off
};

// Must outlive its connections, because their key log lines go through it. Does not move once
// connections exist.
class TlsContext {
 public:
  // Throws LabError for what OpenSSL cannot take: unknown group, key that does not fit its
  // certificate, unreadable PEM.
  explicit TlsContext(TlsSettings settings);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  const TlsSettings& settings() const { return settings_; }
  SSL_CTX* native() const { return context_.get(); }
  // A new session of this context in its role, owned by the caller, before its handshake.
  // `server_name`: a client's SNI and the name (or address) that the certificate must carry; empty
  // for none and for servers. `resumed`: a client's Resumption::session; empty for a full
  // handshake. Throws LabError for what is no session.
  SSL* new_session(std::string_view server_name, ByteSpan resumed = {}) const;

 private:
  struct Free {
    void operator()(SSL_CTX* context) const noexcept;
  };
  TlsSettings settings_;
  std::string alpn_wire_;  // names behind their lengths, as OpenSSL takes them
  std::unique_ptr<SSL_CTX, Free> context_;
};

TlsFacts tls_facts(SSL* session);
// Whether a client's new session resumes one whose ticket allows early data, over QUIC or over TCP.
bool allows_early_data(SSL* session, TlsCarrier carrier);

// OpenSSL's error queue, emptied, as one line; `fallback` when it holds nothing. An alert from the
// peer is told as such.
std::string take_openssl_errors(std::string_view fallback);
// "bad certificate (42)"
std::string alert_text(int alert);

}  // namespace transport
