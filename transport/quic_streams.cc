// What a connection's application does with streams, and what streams tell it.

#include "base/errors.hh"
#include "transport/quic_core.hh"

#include <format>

namespace transport {
namespace {

// RFC 9000 section 2.1: the low bits of a stream's ID.
constexpr bool is_server_initiated(StreamId stream) {
  return (stream & 1) != 0;
}
constexpr bool is_unidirectional(StreamId stream) {
  return (stream & 2) != 0;
}

}  // namespace

std::optional<StreamId> QuicConnection::Core::open_stream(bool bidirectional) {
  if (closed_) return std::nullopt;
  StreamId stream = -1;
  const int outcome = bidirectional ? ngtcp2_conn_open_bidi_stream(connection_, &stream, nullptr)
                                    : ngtcp2_conn_open_uni_stream(connection_, &stream, nullptr);
  if (outcome == NGTCP2_ERR_STREAM_ID_BLOCKED) return std::nullopt;
  if (outcome != 0) {
    throw base::LabError(std::format("open QUIC stream: {}", ngtcp2_strerror(outcome)));
  }
  return stream;
}

void QuicConnection::Core::write(StreamId stream, ByteSpan bytes, bool fin) {
  if (!closed_) queue_.append(stream, bytes, fin);
}

void QuicConnection::Core::shut_stream(StreamId stream, std::uint64_t code, bool reading) {
  if (closed_) return;
  reset_streams_.insert(stream);
  if (reading) {
    ngtcp2_conn_shutdown_stream_read(connection_, 0, stream, code);
    return;
  }
  queue_.abandon(stream);
  ngtcp2_conn_shutdown_stream_write(connection_, 0, stream, code);
}

void QuicConnection::Core::received_stream_data(StreamId stream, ByteSpan bytes, bool fin) {
  if (closed_) return;
  events_.on_stream_data(stream, bytes, fin);
  if (closed_) return;
  // The application has taken them, so the peer may send as many again.
  ngtcp2_conn_extend_max_stream_offset(connection_, stream, bytes.size());
  ngtcp2_conn_extend_max_offset(connection_, bytes.size());
}

void QuicConnection::Core::reset_by_peer(StreamId stream, std::uint64_t code) {
  reset_streams_.insert(stream);
  if (!closed_) events_.on_stream_reset(stream, code);
}

void QuicConnection::Core::stream_ended(StreamId stream, std::optional<std::uint64_t> code) {
  queue_.erase(stream);
  const bool explained = reset_streams_.erase(stream) > 0;
  const bool is_server = context_.settings().role == Role::kServer;
  if (is_server_initiated(stream) != is_server) grant_streams(stream);
  if (closed_) return;
  if (code && !explained) events_.on_stop_sending(stream, *code);
  if (!closed_) events_.on_stream_closed(stream);
}

void QuicConnection::Core::grant_streams(StreamId ended_stream) {
  const bool unidirectional = is_unidirectional(ended_stream);
  std::uint64_t& ended = unidirectional ? ended_uni_streams_ : ended_bidi_streams_;
  const std::uint64_t limit =
      unidirectional ? settings_.max_uni_streams : settings_.max_bidi_streams;
  if (++ended * 2 < limit) return;
  if (unidirectional) {
    ngtcp2_conn_extend_max_streams_uni(connection_, ended);
  } else {
    ngtcp2_conn_extend_max_streams_bidi(connection_, ended);
  }
  ended = 0;
}

void QuicConnection::Core::close(std::uint64_t application_code, std::string_view reason) {
  if (closed_) return;
  close_to_send_ = true;
  set_closed({.cause = QuicClose::Cause::kApplication,
              .code = application_code,
              .reason = std::string(reason)});
}

QuicFacts QuicConnection::Core::facts() const {
  ngtcp2_conn_info info;
  ngtcp2_conn_get_conn_info(connection_, &info);
  QuicFacts facts;
  facts.tls = tls_facts(ngtcp2_crypto_ossl_ctx_get_ssl(glue_));
  facts.version = ngtcp2_conn_get_negotiated_version(connection_);
  facts.retries = retries_;
  facts.early_data_offered = early_data_offered_;
  facts.token_accepted = token_accepted_;
  // The library has UINT64_MAX for "no sample yet", and estimates before there is one.
  const bool sampled = info.min_rtt != UINT64_MAX;
  if (sampled) {
    facts.statistics.latest_rtt = base::Nanoseconds(info.latest_rtt);
    facts.statistics.min_rtt = base::Nanoseconds(info.min_rtt);
    facts.statistics.smoothed_rtt = base::Nanoseconds(info.smoothed_rtt);
    facts.statistics.rttvar = base::Nanoseconds(info.rttvar);
  }
  facts.statistics.packets_sent = info.pkt_sent;
  facts.statistics.packets_received = info.pkt_recv;
  facts.statistics.packets_lost = info.pkt_lost;
  facts.statistics.bytes_sent = info.bytes_sent;
  facts.statistics.bytes_received = info.bytes_recv;
  return facts;
}

std::vector<ngtcp2_cid> QuicConnection::Core::connection_ids() const {
  std::vector<ngtcp2_cid> ids(ngtcp2_conn_get_scid(connection_, nullptr));
  ngtcp2_conn_get_scid(connection_, ids.data());
  return ids;
}

}  // namespace transport
