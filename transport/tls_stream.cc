#include "transport/tls_stream.hh"

#include "base/errors.hh"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <format>
#include <utility>

namespace transport {
namespace {

constexpr std::size_t kMaxRecord = 16384;  // RFC 8446 section 5.1

}  // namespace

void TlsStream::Free::operator()(SSL* session) const noexcept {
  SSL_free(session);
}

TlsStream::TlsStream(const TlsContext& context, std::string_view server_name, ByteSpan resumed,
                     Early early)
    : session_(context.new_session(server_name, resumed)),
      is_server_(context.settings().role == Role::kServer),
      early_data_offered_(early == Early::kYes &&
                          allows_early_data(session_.get(), TlsCarrier::kStream)),
      early_data_open_(early_data_offered_),
      early_data_awaited_(is_server_ && context.settings().early_data != EarlyData::kNone) {
  LABRUN_ASSERT(context.settings().carrier == TlsCarrier::kStream);
  BIO* const incoming = BIO_new(BIO_s_mem());
  BIO* const outgoing = BIO_new(BIO_s_mem());
  LABRUN_ASSERT(incoming != nullptr && outgoing != nullptr);
  SSL_set_bio(session_.get(), incoming, outgoing);  // takes both
  if (!early_data_offered_) advance();
}

void TlsStream::receive(ByteSpan ciphertext) {
  if (failure_ || ciphertext.empty()) return;
  const int length = static_cast<int>(ciphertext.size());
  LABRUN_ASSERT(BIO_write(SSL_get_rbio(session_.get()), ciphertext.data(), length) == length);
  advance();
}

void TlsStream::receive_end() {
  if (failure_) return;
  if (!handshake_complete_) failure_ = "peer ended the connection during the TLS handshake";
  peer_closed_ = true;
}

// As far as the bytes at hand allow: handshake, then what waited for its end, then the peer's data.
void TlsStream::advance() {
  ERR_clear_error();
  if (early_data_awaited_ && !read_early()) return;
  if (!handshake_complete_) {
    // A client's early data ends where its handshake goes on.
    if (!is_server_) early_data_open_ = false;
    const int outcome = SSL_do_handshake(session_.get());
    if (outcome != 1) return fail(SSL_get_error(session_.get(), outcome));
    complete_handshake();
  }
  if (!failure_) read_plaintext();
}

void TlsStream::complete_handshake() {
  handshake_complete_ = true;
  early_data_open_ = false;
  if (!is_server_ && !facts().early_data_accepted)
    unsent_.insert(unsent_.begin(), early_.begin(), early_.end());
  early_.clear();
  flush_writes();
}

// False while more of it may come.
bool TlsStream::read_early() {
  std::array<std::uint8_t, kMaxRecord> chunk;
  std::size_t length = 0;
  int outcome = SSL_READ_EARLY_DATA_ERROR;
  while ((outcome = SSL_read_early_data(session_.get(), chunk.data(), chunk.size(), &length)) ==
         SSL_READ_EARLY_DATA_SUCCESS) {
    append(plaintext_, ByteSpan(chunk).first(length));
    // RFC 8446 section 2.3: what answers it need not wait for the client's Finished either.
    early_data_open_ = true;
  }
  if (outcome == SSL_READ_EARLY_DATA_FINISH) {
    early_data_awaited_ = false;
    return true;
  }
  fail(SSL_get_error(session_.get(), 0));
  return false;
}

void TlsStream::write_early(ByteSpan plaintext) {
  ERR_clear_error();
  std::size_t written = 0;
  const int outcome =
      SSL_write_early_data(session_.get(), plaintext.data(), plaintext.size(), &written);
  if (outcome != 1) return fail(SSL_get_error(session_.get(), outcome));
  LABRUN_ASSERT(written == plaintext.size());
  if (!is_server_) append(early_, plaintext);
}

void TlsStream::read_plaintext() {
  std::array<std::uint8_t, kMaxRecord> chunk;
  std::size_t length = 0;
  int outcome = 0;
  while ((outcome = SSL_read_ex(session_.get(), chunk.data(), chunk.size(), &length)) == 1) {
    append(plaintext_, ByteSpan(chunk).first(length));
  }
  fail(SSL_get_error(session_.get(), outcome));
}

void TlsStream::fail(int ssl_error) {
  if (ssl_error == SSL_ERROR_WANT_READ || ssl_error == SSL_ERROR_WANT_WRITE) return;
  if (ssl_error == SSL_ERROR_ZERO_RETURN) {
    peer_closed_ = true;
    return;
  }
  failure_ = take_openssl_errors("TLS connection broken");
  const long verified = SSL_get_verify_result(session_.get());
  if (verified != X509_V_OK && !handshake_complete_) {
    *failure_ += std::format(": {}", X509_verify_cert_error_string(verified));
  }
}

void TlsStream::write(ByteSpan plaintext) {
  if (failure_ || closed_) return;
  if (early_data_open_) return write_early(plaintext);
  append(unsent_, plaintext);
  if (handshake_complete_) flush_writes();
}

void TlsStream::flush_writes() {
  const Bytes plaintext = std::exchange(unsent_, {});
  if (plaintext.empty()) return;
  ERR_clear_error();
  std::size_t written = 0;
  const int outcome = SSL_write_ex(session_.get(), plaintext.data(), plaintext.size(), &written);
  if (outcome != 1) return fail(SSL_get_error(session_.get(), outcome));
  // Memory never is full, so nothing is ever left over.
  LABRUN_ASSERT(written == plaintext.size());
}

Bytes TlsStream::take_plaintext() {
  return std::exchange(plaintext_, {});
}

Bytes TlsStream::take_output() {
  BIO* const outgoing = SSL_get_wbio(session_.get());
  Bytes output(BIO_ctrl_pending(outgoing));
  if (output.empty()) return output;
  const int length = static_cast<int>(output.size());
  LABRUN_ASSERT(BIO_read(outgoing, output.data(), length) == length);
  return output;
}

void TlsStream::close() {
  if (closed_ || failure_) return;
  closed_ = true;
  if (!handshake_complete_) return;
  ERR_clear_error();
  SSL_shutdown(session_.get());  // sends; its result only tells whether the peer has, too
}

}  // namespace transport
