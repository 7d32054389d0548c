#include "transport/tls_context.hh"

#include "base/errors.hh"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <format>
#include <utility>

namespace transport {
namespace {

// RFC 9001 section 4.6.1: over QUIC the ticket has this, and the transport parameters say how much.
constexpr std::uint32_t kQuicEarlyData = 0xffffffff;
constexpr std::uint32_t kMaxEarlyData = 16'384;

template <typename Object, void (*free_object)(Object*)>
struct Freed {
  void operator()(Object* object) const noexcept { free_object(object); }
};
using OwnedCertificate = std::unique_ptr<X509, Freed<X509, X509_free>>;
using OwnedKey = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using OwnedSession = std::unique_ptr<SSL_SESSION, Freed<SSL_SESSION, SSL_SESSION_free>>;
using OwnedBio = std::unique_ptr<BIO, Freed<BIO, BIO_free_all>>;

void require(bool done, std::string_view attempted) {
  if (!done) throw base::LabError(std::format("{}: {}", attempted, take_openssl_errors("failed")));
}

OwnedBio open_pem(const std::string& pem) {
  OwnedBio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  require(bio != nullptr, "read PEM");
  return bio;
}

// nullptr at the end of the PEM text.
OwnedCertificate next_certificate(BIO* pem, std::string_view what) {
  ERR_clear_error();
  OwnedCertificate certificate(PEM_read_bio_X509(pem, nullptr, nullptr, nullptr));
  if (!certificate && ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
    require(false, what);
  }
  ERR_clear_error();
  return certificate;
}

void use_identity(SSL_CTX* context, const TlsSettings& settings) {
  const OwnedBio chain = open_pem(settings.certificate_chain_pem);
  const OwnedCertificate leaf = next_certificate(chain.get(), "read certificate chain");
  if (!leaf) throw base::LabError("certificate chain: no certificate in the PEM text");
  require(SSL_CTX_use_certificate(context, leaf.get()) == 1, "use certificate");
  while (const OwnedCertificate next = next_certificate(chain.get(), "read certificate chain")) {
    require(SSL_CTX_add1_chain_cert(context, next.get()) == 1, "use intermediate certificate");
  }
  // The chain is what the settings say, nothing that OpenSSL finds in a store.
  SSL_CTX_set_mode(context, SSL_MODE_NO_AUTO_CHAIN);
  const OwnedBio key_pem = open_pem(settings.private_key_pem);
  const OwnedKey key(PEM_read_bio_PrivateKey(key_pem.get(), nullptr, nullptr, nullptr));
  require(key != nullptr, "read private key");
  require(SSL_CTX_use_PrivateKey(context, key.get()) == 1, "use private key");
}

// A client without verification goes without a store as well; what OpenSSL says of the certificate
// is still a fact to show.
void use_trust(SSL_CTX* context, const TlsSettings& settings) {
  if (settings.verification == Verification::kNone) return;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (settings.verification == Verification::kSystem) {
    require(SSL_CTX_set_default_verify_paths(context) == 1, "read the system's trust store");
    return;
  }
  const OwnedBio pem = open_pem(settings.trust_anchors_pem);
  int anchors = 0;
  while (const OwnedCertificate anchor = next_certificate(pem.get(), "read trust anchors")) {
    require(X509_STORE_add_cert(SSL_CTX_get_cert_store(context), anchor.get()) == 1,
            "use trust anchor");
    ++anchors;
  }
  if (anchors == 0) throw base::LabError("trust anchors: no certificate in the PEM text");
}

std::string alpn_wire_form(const std::vector<std::string>& protocols) {
  std::string wire;
  for (const std::string& protocol : protocols) {
    LABRUN_ASSERT(!protocol.empty() && protocol.size() <= 255);
    wire += static_cast<char>(protocol.size());
    wire += protocol;
  }
  return wire;
}

const unsigned char* as_unsigned(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// RFC 7301 section 3.2: no agreement ends the handshake with no_application_protocol.
int select_alpn(SSL* /*session*/, const unsigned char** selected, unsigned char* selected_length,
                const unsigned char* offered, unsigned int offered_length, void* own_wire) {
  const auto& own = *static_cast<const std::string*>(own_wire);
  unsigned char* match = nullptr;
  const int outcome =
      SSL_select_next_proto(&match, selected_length, as_unsigned(own),
                            static_cast<unsigned int>(own.size()), offered, offered_length);
  if (outcome != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *selected = match;
  return SSL_TLSEXT_ERR_OK;
}

void write_keylog(const SSL* session, const char* line) noexcept {
  const auto* settings =
      static_cast<const TlsSettings*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(session)));
  settings->keylog(line);
}

// Zero: the library is not to keep the session.
int hand_over_session(SSL* session, SSL_SESSION* ticket) noexcept {
  const auto* settings =
      static_cast<const TlsSettings*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(session)));
  unsigned char* encoded = nullptr;
  const int length = i2d_SSL_SESSION(ticket, &encoded);
  if (length > 0) settings->ticket({encoded, static_cast<std::size_t>(length)});
  OPENSSL_free(encoded);
  return 0;
}

void use_tickets(SSL_CTX* context, const TlsSettings& settings) {
  // Nothing is remembered on this side: a server's tickets hold all, a client's user keeps them.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  if (settings.role == Role::kClient) {
    if (!settings.ticket) return;
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, hand_over_session);
    return;
  }
  SSL_CTX_set_num_tickets(context, settings.session_tickets);
  if (settings.early_data == EarlyData::kNone) return;
  SSL_CTX_set_max_early_data(
      context, settings.carrier == TlsCarrier::kQuic ? kQuicEarlyData : kMaxEarlyData);
  // Without it every ticket is good for one connection, which takes a memory of them.
  SSL_CTX_set_options(context, SSL_OP_NO_ANTI_REPLAY);
  if (settings.early_data == EarlyData::kReject)
    SSL_CTX_set_allow_early_data_cb(context, [](SSL*, void*) noexcept { return 0; }, nullptr);
}

std::string join_groups(const std::vector<std::string>& groups) {
  std::string list;
  for (const std::string& group : groups) {
    if (!list.empty()) list += ':';
    list += group;
  }
  return list;
}

bool is_address(const std::string& name) {
  std::array<unsigned char, 16> address{};
  return ::inet_pton(AF_INET, name.c_str(), address.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), address.data()) == 1;
}

void use_server_name(SSL* session, const std::string& name) {
  X509_VERIFY_PARAM* const verify = SSL_get0_param(session);
  if (is_address(name)) {
    // Addresses are no SNI names (RFC 6066 section 3).
    require(X509_VERIFY_PARAM_set1_ip_asc(verify, name.c_str()) == 1, "set server address");
    return;
  }
  // SSL_set_tlsext_host_name(), whose macro casts the old way.
  require(SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                   const_cast<char*>(name.c_str())) == 1,
          "set server name");
  require(SSL_set1_host(session, name.c_str()) == 1, "set server name");
}

// IANA's name; OpenSSL has its own way with the case of these two.
std::string group_name(SSL* session) {
  const char* const name = SSL_get0_group_name(session);
  std::string group = name == nullptr ? "" : name;
  if (group == "x25519" || group == "x448") group[0] = 'X';
  return group;
}

}  // namespace

void TlsContext::Free::operator()(SSL_CTX* context) const noexcept {
  SSL_CTX_free(context);
}

TlsContext::TlsContext(TlsSettings settings)
    : settings_(std::move(settings)),
      alpn_wire_(alpn_wire_form(settings_.alpn)),
      context_(SSL_CTX_new(TLS_method())) {
  SSL_CTX* const context = context_.get();
  require(context != nullptr, "make TLS context");
  const bool is_server = settings_.role == Role::kServer;
  // Versions before 1.2 are gone from DNS (RFC 8310, RFC 8996).
  const int oldest = settings_.allow_tls12 ? TLS1_2_VERSION : TLS1_3_VERSION;
  require(SSL_CTX_set_min_proto_version(context, oldest) == 1, "set TLS version");
  use_tickets(context, settings_);
  if (!settings_.groups.empty()) {
    const std::string list = join_groups(settings_.groups);
    require(SSL_CTX_set1_groups_list(context, list.c_str()) == 1,
            std::format("key exchange groups '{}'", list));
  }
  if (is_server) {
    use_identity(context, settings_);
    if (!alpn_wire_.empty()) SSL_CTX_set_alpn_select_cb(context, select_alpn, &alpn_wire_);
  } else {
    use_trust(context, settings_);
    // Unlike its neighbours this call returns 0 for success.
    require(SSL_CTX_set_alpn_protos(context, as_unsigned(alpn_wire_),
                                    static_cast<unsigned int>(alpn_wire_.size())) == 0,
            "set ALPN");
  }
  SSL_CTX_set_app_data(context, &settings_);
  if (settings_.keylog) SSL_CTX_set_keylog_callback(context, write_keylog);
}

TlsContext::~TlsContext() = default;

SSL* TlsContext::new_session(std::string_view server_name, ByteSpan resumed) const {
  std::unique_ptr<SSL, Freed<SSL, SSL_free>> session(SSL_new(context_.get()));
  require(session != nullptr, "make TLS session");
  if (settings_.role == Role::kServer) {
    SSL_set_accept_state(session.get());
  } else {
    SSL_set_connect_state(session.get());
    if (!server_name.empty()) use_server_name(session.get(), std::string(server_name));
    if (!resumed.empty()) {
      const unsigned char* at = resumed.data();
      const OwnedSession earlier(d2i_SSL_SESSION(nullptr, &at, static_cast<long>(resumed.size())));
      require(earlier && SSL_set_session(session.get(), earlier.get()) == 1, "resume TLS session");
    }
  }
  return session.release();
}

TlsFacts tls_facts(SSL* session) {
  TlsFacts facts;
  const SSL_CIPHER* const cipher = SSL_get_current_cipher(session);
  if (cipher == nullptr) return facts;
  facts.version = SSL_get_version(session);
  facts.cipher = SSL_CIPHER_get_name(cipher);
  facts.group = group_name(session);
  const unsigned char* alpn = nullptr;
  unsigned int alpn_length = 0;
  SSL_get0_alpn_selected(session, &alpn, &alpn_length);
  facts.alpn.assign(reinterpret_cast<const char*>(alpn), alpn_length);
  facts.resumed = SSL_session_reused(session) == 1;
  facts.early_data_accepted = SSL_get_early_data_status(session) == SSL_EARLY_DATA_ACCEPTED;
  const long verified = SSL_get_verify_result(session);
  if (verified != X509_V_OK) facts.verify_error = X509_verify_cert_error_string(verified);
  return facts;
}

bool allows_early_data(SSL* session, TlsCarrier carrier) {
  const SSL_SESSION* const resumed = SSL_get0_session(session);
  if (resumed == nullptr) return false;
  const std::uint32_t allowed = SSL_SESSION_get_max_early_data(resumed);
  return carrier == TlsCarrier::kQuic ? allowed == kQuicEarlyData : allowed > 0;
}

std::string alert_text(int alert) {
  return std::format("{} ({})", SSL_alert_desc_string_long(alert), alert);
}

std::string take_openssl_errors(std::string_view fallback) {
  std::string text;
  const char* data = nullptr;
  int flags = 0;
  while (const unsigned long error = ERR_get_error_all(nullptr, nullptr, nullptr, &data, &flags)) {
    if (!text.empty()) text += "; ";
    const int alert = ERR_GET_REASON(error) - SSL_AD_REASON_OFFSET;
    if (ERR_GET_LIB(error) == ERR_LIB_SSL && alert >= 0 && alert <= 255) {
      text += "alert from the peer: " + alert_text(alert);
      continue;
    }
    const char* const reason = ERR_reason_error_string(error);
    text += reason != nullptr ? reason : std::format("OpenSSL error {:x}", error);
    const bool has_text = (flags & ERR_TXT_STRING) != 0 && data != nullptr && *data != '\0';
    if (has_text) text += std::format(" ({})", data);
  }
  return text.empty() ? std::string(fallback) : text;
}

}  // namespace transport
