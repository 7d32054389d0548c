// How a connection is made: its settings, its TLS session, its keys to ngtcp2.

#include "transport/quic_core.hh"

#include "base/errors.hh"

#include <openssl/ssl.h>

#include <format>
#include <utility>

namespace transport {
namespace {

constexpr std::uint64_t kNoApplicationProtocol = 120;  // TLS alert, RFC 7301 section 3.2

ngtcp2_addr native_address(const SocketAddress& address) {
  // The library copies addresses and never writes to them.
  return {const_cast<sockaddr*>(address.get()), address.length};
}

void check_new(int outcome) {
  if (outcome != 0) {
    throw base::LabError(std::format("make QUIC connection: {}", ngtcp2_strerror(outcome)));
  }
}

}  // namespace

ngtcp2_path native_path(const UdpPath& path) {
  return {.local = native_address(path.local),
          .remote = native_address(path.remote),
          .user_data = nullptr};
}

QuicConnection::Core::Core(const TlsContext& context, const QuicSettings& settings,
                           QuicEvents& events)
    : context_(context), settings_(settings), events_(events) {
  if (settings.seed) draws_.emplace(*settings.seed);
  LABRUN_ASSERT(context.settings().carrier == TlsCarrier::kQuic);
  LABRUN_ASSERT(settings.max_udp_payload >= NGTCP2_MAX_UDP_PAYLOAD_SIZE &&
                settings.max_udp_payload <= NGTCP2_MAX_TX_UDP_PAYLOAD_SIZE);
  static const bool library_ready = ngtcp2_crypto_ossl_init() == 0;
  LABRUN_ASSERT(library_ready);
  buffer_.resize(settings.max_udp_payload);
}

void QuicConnection::Core::draw(std::span<std::uint8_t> bytes) {
  if (!draws_) return fill_random(bytes);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>((*draws_)());
}

QuicConnection::Core::~Core() {
  // The TLS session must not call back into what goes away.
  if (session_ != nullptr) SSL_set_app_data(session_, nullptr);
  ngtcp2_conn_del(connection_);
  ngtcp2_crypto_ossl_ctx_del(glue_);
  SSL_free(session_);
}

ngtcp2_settings QuicConnection::Core::native_settings(base::Instant now) {
  ngtcp2_settings native;
  ngtcp2_settings_default(&native);
  native.rand_ctx.native_handle = this;
  native.initial_ts = native_time(now);
  native.initial_rtt = static_cast<ngtcp2_duration>(settings_.initial_rtt.count());
  native.max_tx_udp_payload_size = settings_.max_udp_payload;
  native.no_pmtud = settings_.pmtud ? 0 : 1;
  // Without probes the size is what the settings say, from the first datagram on: the path is known
  // to carry it, or is to be shown that it does not.
  native.no_tx_udp_payload_size_shaping = settings_.pmtud ? 0 : 1;
  if (settings_.handshake_timeout.count() > 0) {
    native.handshake_timeout = static_cast<ngtcp2_duration>(settings_.handshake_timeout.count());
  }
  if (settings_.qlog) {
    native.qlog_write = [](void* core, std::uint32_t flags, const void* piece,
                           std::size_t length) noexcept {
      const bool last = (flags & NGTCP2_QLOG_WRITE_FLAG_FIN) != 0;
      static_cast<Core*>(core)->settings_.qlog({static_cast<const std::uint8_t*>(piece), length},
                                               last);
    };
  }
  return native;
}

ngtcp2_transport_params QuicConnection::Core::native_parameters() const {
  ngtcp2_transport_params native;
  ngtcp2_transport_params_default(&native);
  native.initial_max_streams_bidi = settings_.max_bidi_streams;
  native.initial_max_streams_uni = settings_.max_uni_streams;
  native.initial_max_stream_data_bidi_local = settings_.stream_window;
  native.initial_max_stream_data_bidi_remote = settings_.stream_window;
  native.initial_max_stream_data_uni = settings_.stream_window;
  native.initial_max_data = settings_.connection_window;
  native.max_idle_timeout = static_cast<ngtcp2_duration>(settings_.idle_timeout.count());
  return native;
}

void QuicConnection::Core::adopt_tls(std::string_view server_name) {
  session_ = context_.new_session(server_name, settings_.resumption.session);
  LABRUN_ASSERT(ngtcp2_crypto_ossl_ctx_new(&glue_, session_) == 0);
  const bool is_server = context_.settings().role == Role::kServer;
  LABRUN_ASSERT((is_server ? ngtcp2_crypto_ossl_configure_server_session(session_)
                           : ngtcp2_crypto_ossl_configure_client_session(session_)) == 0);
  reference_.user_data = this;
  reference_.get_conn = [](ngtcp2_crypto_conn_ref* reference) {
    return static_cast<Core*>(reference->user_data)->connection_;
  };
  SSL_set_app_data(session_, &reference_);
  ngtcp2_conn_set_tls_native_handle(connection_, glue_);
  allow_early_data();
}

void QuicConnection::Core::allow_early_data() {
  if (context_.settings().role == Role::kServer) {
    if (context_.settings().early_data != EarlyData::kNone)
      LABRUN_ASSERT(SSL_set_quic_tls_early_data_enabled(session_, 1) == 1);
    return;
  }
  const Bytes& parameters = settings_.resumption.quic_parameters;
  if (!settings_.early_data || !transport::allows_early_data(session_, TlsCarrier::kQuic)) return;
  if (ngtcp2_conn_decode_and_set_0rtt_transport_params(connection_, parameters.data(),
                                                       parameters.size()) != 0)
    throw base::LabError("make QUIC connection: remembered transport parameters are malformed");
  LABRUN_ASSERT(SSL_set_quic_tls_early_data_enabled(session_, 1) == 1);
  early_data_offered_ = true;
}

Bytes QuicConnection::Core::resumption_parameters() const {
  // More than all of RFC 9000 section 18.2 take.
  constexpr std::size_t kMost = 256;
  Bytes parameters(kMost);
  const ngtcp2_ssize length =
      ngtcp2_conn_encode_0rtt_transport_params(connection_, parameters.data(), parameters.size());
  LABRUN_ASSERT(length >= 0);
  parameters.resize(static_cast<std::size_t>(length));
  return parameters;
}

void QuicConnection::Core::start_client(std::string_view server_name, const UdpPath& path,
                                        base::Instant now) {
  const ngtcp2_callbacks callbacks = make_callbacks(Role::kClient);
  const ngtcp2_settings settings = native_settings(now);
  const ngtcp2_transport_params parameters = native_parameters();
  const ngtcp2_cid dcid = random_connection_id();
  const ngtcp2_cid scid = random_connection_id();
  const ngtcp2_path native = native_path(path);
  check_new(ngtcp2_conn_client_new(&connection_, &dcid, &scid, &native, NGTCP2_PROTO_VER_V1,
                                   &callbacks, &settings, &parameters, nullptr, this));
  close_path_ = path;
  adopt_tls(server_name);
}

void QuicConnection::Core::start_server(const QuicAcceptance& acceptance, base::Instant now) {
  const ngtcp2_pkt_hd& header = acceptance.header;
  const ngtcp2_callbacks callbacks = make_callbacks(Role::kServer);
  ngtcp2_settings settings = native_settings(now);
  ngtcp2_transport_params parameters = native_parameters();
  parameters.original_dcid = acceptance.original_dcid.value_or(header.dcid);
  parameters.original_dcid_present = 1;
  if (acceptance.original_dcid) {
    // The token proves the address, so no anti-amplification limit holds (RFC 9000 section 8.1).
    parameters.retry_scid = header.dcid;
    parameters.retry_scid_present = 1;
    settings.token = header.token;
    settings.tokenlen = header.tokenlen;
    settings.token_type = NGTCP2_TOKEN_TYPE_RETRY;
    token_accepted_ = true;
    retries_ = 1;
  }
  const ngtcp2_cid scid = random_connection_id();
  const ngtcp2_path native = native_path(acceptance.path);
  check_new(ngtcp2_conn_server_new(&connection_, &header.scid, &scid, &native, header.version,
                                   &callbacks, &settings, &parameters, nullptr, this));
  close_path_ = acceptance.path;
  adopt_tls("");
}

void QuicConnection::Core::completed_handshake() {
  const TlsSettings& tls = context_.settings();
  if (!tls.alpn.empty() && tls_facts(session_).alpn.empty()) {
    // QUIC must not go on without an agreed protocol (RFC 9001 section 8.1).
    close_to_send_ = true;
    return set_closed({.cause = QuicClose::Cause::kTransport,
                       .code = NGTCP2_CRYPTO_ERROR | kNoApplicationProtocol,
                       .reason = "no application protocol agreed"});
  }
  handshake_completed_ = true;
  if (early_data_offered_ && !tls_facts(session_).early_data_accepted) {
    check_new(ngtcp2_conn_tls_early_data_rejected(connection_));
    queue_ = SendQueue();
    events_.on_early_data_rejected();
  }
  events_.on_handshake_completed();
}

}  // namespace transport
