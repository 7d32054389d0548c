#pragma once

// The inside of QuicConnection: ngtcp2 with its TLS glue. Only this folder includes it.

#include "transport/callback_guard.hh"
#include "transport/quic_connection.hh"
#include "transport/quic_send_queue.hh"

#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <ngtcp2/ngtcp2_crypto_ossl.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace transport {

// Length of the connection IDs that we choose; 8 is the least that a first DCID may have (RFC 9000
// section 7.2).
inline constexpr std::size_t kConnectionIdLength = 8;

ngtcp2_cid random_connection_id();
void fill_random(std::span<std::uint8_t> bytes);
// Borrows the addresses of `path`.
ngtcp2_path native_path(const UdpPath& path);
inline ngtcp2_tstamp native_time(base::Instant instant) {
  return static_cast<ngtcp2_tstamp>(instant.time_since_epoch().count());
}

struct QuicAcceptance {
  ngtcp2_pkt_hd header{};  // of the client's first packet; borrows the token from it
  UdpPath path;
  // Set when a Retry token proved the client's address; the DCID of its very first packet (RFC 9000
  // section 7.3).
  std::optional<ngtcp2_cid> original_dcid;
};

class QuicConnection::Core {
 public:
  Core(const TlsContext& context, const QuicSettings& settings, QuicEvents& events);
  ~Core();
  void start_client(std::string_view server_name, const UdpPath& path, base::Instant now);
  void start_server(const QuicAcceptance& acceptance, base::Instant now);

  Received receive(const UdpPath& path, ByteSpan datagram, base::Instant now);
  void flush(base::Instant now, const DatagramSink& sink);
  std::optional<base::Instant> expiry() const;
  void handle_expiry(base::Instant now);
  std::optional<StreamId> open_stream(bool bidirectional);
  void write(StreamId stream, ByteSpan bytes, bool fin);
  void shut_stream(StreamId stream, std::uint64_t code, bool reading);
  void close(std::uint64_t application_code, std::string_view reason);
  QuicFacts facts() const;
  const std::optional<QuicClose>& closed() const { return closed_; }
  bool handshake_completed() const { return handshake_completed_; }
  bool early_data_offered() const { return early_data_offered_; }
  Bytes resumption_parameters() const;
  void migrate(const UdpPath& path, base::Instant now);
  void rebind(const UdpPath& path);
  // The IDs by which the peer addresses us now.
  std::vector<ngtcp2_cid> connection_ids() const;

  // For the listener, which finds connections by these. Unset in clients.
  std::function<void(const ngtcp2_cid& cid, bool added)> on_connection_id;
  std::uint64_t serial = 0;  // the listener's number of this connection
  // When everything that the peer may still have under way has arrived (RFC 9000 section 10.2).
  base::Instant lingers_until() const { return lingers_until_; }

 private:
  struct Callbacks;  // the C side; quic_callbacks.cc
  static ngtcp2_callbacks make_callbacks(Role role);
  ngtcp2_settings native_settings(base::Instant now);
  ngtcp2_transport_params native_parameters() const;
  void adopt_tls(std::string_view server_name);
  void allow_early_data();

  void handle_error(int error);
  void handle_close_by_peer();
  void set_closed(QuicClose close);
  void report_closed(base::Instant now);
  void write_packets(base::Instant now, const DatagramSink& sink);
  // One packet, or a further frame into the one that is under way. False when there is nothing more
  // to send.
  bool write_packet(ngtcp2_path_storage& path, base::Instant now, const DatagramSink& sink);
  void write_close(base::Instant now, const DatagramSink& sink);

  void received_stream_data(StreamId stream, ByteSpan bytes, bool fin);
  void reset_by_peer(StreamId stream, std::uint64_t code);
  // `code`: of the first reset or stop of either end, where there was one.
  void stream_ended(StreamId stream, std::optional<std::uint64_t> code);
  void grant_streams(StreamId ended_stream);
  void completed_handshake();

  // What ngtcp2 draws for itself.
  void draw(std::span<std::uint8_t> bytes);

  const TlsContext& context_;
  QuicSettings settings_;
  std::optional<base::Rng> draws_;  // where they are seeded
  QuicEvents& events_;
  CallbackGuard guard_;
  SendQueue queue_;
  Bytes buffer_;  // the datagram under way

  SSL* session_ = nullptr;
  ngtcp2_crypto_ossl_ctx* glue_ = nullptr;
  ngtcp2_crypto_conn_ref reference_{};
  ngtcp2_conn* connection_ = nullptr;

  bool handshake_completed_ = false;
  bool early_data_offered_ = false;  // by a client
  bool stateless_reset_ = false;
  bool token_accepted_ = false;
  std::uint64_t retries_ = 0;
  // Streams with a reset whose cause is known: we, or a RESET_STREAM from the peer.
  std::set<StreamId> reset_streams_;
  // Streams of the peer that have ended and were not granted again yet.
  std::uint64_t ended_bidi_streams_ = 0;
  std::uint64_t ended_uni_streams_ = 0;

  std::optional<QuicClose> closed_;
  bool close_reported_ = false;
  bool close_to_send_ = false;
  UdpPath close_path_;
  Bytes close_datagram_;
  std::uint64_t received_while_closing_ = 0;
  base::Instant lingers_until_;
};

}  // namespace transport
