// Packets in, packets out, and how a connection ends.

#include "base/errors.hh"
#include "transport/quic_core.hh"

#include <openssl/err.h>

#include <bit>
#include <format>
#include <utility>

namespace transport {
namespace {

// RFC 9000 section 10.2 has the closing and draining states last three PTOs.
constexpr int kLingerPtos = 3;

UdpPath from_native(const ngtcp2_path& path) {
  return {.local = SocketAddress(path.local.addr, path.local.addrlen),
          .remote = SocketAddress(path.remote.addr, path.remote.addrlen)};
}

}  // namespace

QuicConnection::Received QuicConnection::Core::receive(const UdpPath& path, ByteSpan datagram,
                                                       base::Instant now) {
  if (closed_) {
    // Repeats the CONNECTION_CLOSE to a peer that seems to have missed it, ever more rarely (RFC
    // 9000 section 10.2.1).
    if (std::has_single_bit(++received_while_closing_) && !close_datagram_.empty()) {
      close_to_send_ = true;
    }
    return Received::kTaken;
  }
  if (datagram.empty()) return Received::kTaken;
  ERR_clear_error();
  const ngtcp2_path native = native_path(path);
  const int outcome = ngtcp2_conn_read_pkt(connection_, &native, nullptr, datagram.data(),
                                           datagram.size(), native_time(now));
  guard_.rethrow();
  if (outcome == NGTCP2_ERR_RETRY) return Received::kRetryWanted;
  if (outcome != 0) handle_error(outcome);
  report_closed(now);
  return outcome == NGTCP2_ERR_DROP_CONN ? Received::kDropped : Received::kTaken;
}

std::optional<base::Instant> QuicConnection::Core::expiry() const {
  if (closed_) return std::nullopt;
  const ngtcp2_tstamp expiry = ngtcp2_conn_get_expiry(connection_);
  if (expiry == UINT64_MAX) return std::nullopt;
  return base::Instant(base::Nanoseconds(expiry));
}

void QuicConnection::Core::handle_expiry(base::Instant now) {
  if (closed_) return;
  const int outcome = ngtcp2_conn_handle_expiry(connection_, native_time(now));
  guard_.rethrow();
  if (outcome != 0) handle_error(outcome);
  report_closed(now);
}

void QuicConnection::Core::migrate(const UdpPath& path, base::Instant now) {
  if (closed_) return;
  const ngtcp2_path native = native_path(path);
  const int outcome =
      ngtcp2_conn_initiate_immediate_migration(connection_, &native, native_time(now));
  if (outcome != 0)
    throw base::LabError(std::format("migrate QUIC connection: {}", ngtcp2_strerror(outcome)));
}

void QuicConnection::Core::rebind(const UdpPath& path) {
  const ngtcp2_path native = native_path(path);
  ngtcp2_conn_set_local_addr(connection_, &native.local);
}

void QuicConnection::Core::flush(base::Instant now, const DatagramSink& sink) {
  if (!closed_) write_packets(now, sink);
  if (close_to_send_) write_close(now, sink);
  report_closed(now);
}

void QuicConnection::Core::write_packets(base::Instant now, const DatagramSink& sink) {
  queue_.unblock_all();
  ngtcp2_path_storage path;
  ngtcp2_path_storage_zero(&path);
  while (!closed_ && write_packet(path, now, sink)) {
  }
  // ngtcp2_conn_update_pkt_tx_time() is not called, so nothing is paced: a lookup's flights are
  // within the initial window, the burst that RFC 9002 section 7.7 allows. Pacing would hold the
  // client's Finished and request back by some ms whenever its acknowledgement of the server's
  // first datagram has left in a flush of its own, and every flush would cost a wake-up for
  // nothing.
}

bool QuicConnection::Core::write_packet(ngtcp2_path_storage& path, base::Instant now,
                                        const DatagramSink& sink) {
  const StreamId stream = queue_.next();
  std::vector<ngtcp2_vec> data;
  std::uint32_t flags = NGTCP2_WRITE_STREAM_FLAG_NONE;
  if (stream >= 0) {
    data = queue_.buffer(stream).unsent();
    // Small frames of several streams share a packet.
    flags = NGTCP2_WRITE_STREAM_FLAG_MORE;
    if (queue_.buffer(stream).ends()) flags |= NGTCP2_WRITE_STREAM_FLAG_FIN;
  }
  ngtcp2_ssize taken = -1;
  const ngtcp2_ssize length =
      ngtcp2_conn_writev_stream(connection_, &path.path, nullptr, buffer_.data(), buffer_.size(),
                                &taken, flags, stream, data.data(), data.size(), native_time(now));
  guard_.rethrow();
  if (taken >= 0 && stream >= 0) queue_.sent(stream, static_cast<std::size_t>(taken));
  if (length > 0) {
    sink(from_native(path.path), ByteSpan(buffer_).first(static_cast<std::size_t>(length)));
    return true;
  }
  switch (length) {
    case 0:
      return false;
    case NGTCP2_ERR_WRITE_MORE:
      return true;
    case NGTCP2_ERR_STREAM_DATA_BLOCKED:
      queue_.block(stream);
      return true;
    case NGTCP2_ERR_STREAM_NOT_FOUND:
    case NGTCP2_ERR_STREAM_SHUT_WR:
      queue_.abandon(stream);
      return true;
    default:
      handle_error(static_cast<int>(length));
      return false;
  }
}

void QuicConnection::Core::write_close(base::Instant now, const DatagramSink& sink) {
  if (!closed_) return;
  close_to_send_ = false;
  if (close_datagram_.empty()) {
    ngtcp2_ccerr error;
    ngtcp2_ccerr_default(&error);
    // Our own words stay here: they are for our user, and the packet's size must not depend on
    // them.
    if (closed_->cause == QuicClose::Cause::kApplication) {
      ngtcp2_ccerr_set_application_error(&error, closed_->code, nullptr, 0);
    } else {
      ngtcp2_ccerr_set_transport_error(&error, closed_->code, nullptr, 0);
    }
    ngtcp2_path_storage path;
    ngtcp2_path_storage_zero(&path);
    const ngtcp2_ssize length = ngtcp2_conn_write_connection_close(
        connection_, &path.path, nullptr, buffer_.data(), buffer_.size(), &error, native_time(now));
    guard_.rethrow();
    // Nothing can be sent where the anti-amplification limit is reached; the peer times out then.
    if (length <= 0) return;
    close_path_ = from_native(path.path);
    close_datagram_.assign(buffer_.begin(), buffer_.begin() + length);
  }
  sink(close_path_, close_datagram_);
}

void QuicConnection::Core::handle_error(int error) {
  using Cause = QuicClose::Cause;
  switch (error) {
    case NGTCP2_ERR_DRAINING:
      return handle_close_by_peer();
    case NGTCP2_ERR_DROP_CONN:
      return set_closed({.cause = Cause::kDropped, .reason = {}});
    case NGTCP2_ERR_IDLE_CLOSE:
      return set_closed({.cause = Cause::kIdleTimeout, .reason = {}});
    case NGTCP2_ERR_RECV_VERSION_NEGOTIATION:
      return set_closed({.cause = Cause::kVersionNegotiation, .by_peer = true, .reason = {}});
    default:
      break;
  }
  QuicClose close{.cause = Cause::kTransport, .reason = ngtcp2_strerror(error)};
  if (error == NGTCP2_ERR_HANDSHAKE_TIMEOUT) close.cause = Cause::kHandshakeTimeout;
  close.code = ngtcp2_err_infer_quic_transport_error_code(error);
  const std::uint8_t alert = ngtcp2_conn_get_tls_alert(connection_);
  if (error == NGTCP2_ERR_CRYPTO && alert != 0) {
    close.code = NGTCP2_CRYPTO_ERROR | alert;
    close.reason = take_openssl_errors("TLS failed");
    const std::string verify_error = tls_facts(session_).verify_error;
    if (!verify_error.empty()) close.reason += ": " + verify_error;
  }
  close_to_send_ = true;
  set_closed(std::move(close));
}

void QuicConnection::Core::handle_close_by_peer() {
  QuicClose close{.cause = QuicClose::Cause::kStatelessReset, .by_peer = true, .reason = {}};
  if (!stateless_reset_) {
    const ngtcp2_ccerr* const error = ngtcp2_conn_get_ccerr(connection_);
    close.cause = error->type == NGTCP2_CCERR_TYPE_APPLICATION ? QuicClose::Cause::kApplication
                                                               : QuicClose::Cause::kTransport;
    close.code = error->error_code;
    close.reason.assign(reinterpret_cast<const char*>(error->reason), error->reasonlen);
  }
  set_closed(std::move(close));
}

void QuicConnection::Core::set_closed(QuicClose close) {
  if (!closed_) closed_ = std::move(close);
}

void QuicConnection::Core::report_closed(base::Instant now) {
  if (!closed_ || std::exchange(close_reported_, true)) return;
  lingers_until_ = now + kLingerPtos * base::Nanoseconds(ngtcp2_conn_get_pto(connection_));
  events_.on_closed(*closed_);
}

}  // namespace transport
