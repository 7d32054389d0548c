// What ngtcp2 calls: each function turns C into C++ and keeps exceptions in.

#include "base/errors.hh"
#include "transport/quic_core.hh"

#include <openssl/rand.h>

#include <algorithm>

namespace transport {

void fill_random(std::span<std::uint8_t> bytes) {
  LABRUN_ASSERT(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1);
}

ngtcp2_cid random_connection_id() {
  ngtcp2_cid cid{};
  cid.datalen = kConnectionIdLength;
  fill_random(std::span(cid.data).first(cid.datalen));
  return cid;
}

struct QuicConnection::Core::Callbacks {
  template <typename Action>
  static int guarded(void* core, Action&& action) {
    return static_cast<Core*>(core)->guard_.run(NGTCP2_ERR_CALLBACK_FAILURE, [&] {
      action(*static_cast<Core*>(core));
      return 0;
    });
  }
  static void rand(std::uint8_t* bytes, std::size_t length, const ngtcp2_rand_ctx* context) {
    static_cast<Core*>(context->native_handle)->draw({bytes, length});
  }
  static int handshake_completed(ngtcp2_conn*, void* core) {
    return guarded(core, [](Core& self) { self.completed_handshake(); });
  }
  static int recv_stream_data(ngtcp2_conn*, std::uint32_t flags, std::int64_t stream, std::uint64_t,
                              const std::uint8_t* bytes, std::size_t length, void* core, void*) {
    const bool fin = (flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0;
    return guarded(core,
                   [&](Core& self) { self.received_stream_data(stream, {bytes, length}, fin); });
  }
  // Acknowledged bytes come in order, whatever order the packets had.
  static int acked_stream_data(ngtcp2_conn*, std::int64_t stream, std::uint64_t offset,
                               std::uint64_t length, void* core, void*) {
    return guarded(core, [&](Core& self) { self.queue_.acknowledged(stream, offset + length); });
  }
  static int stream_close(ngtcp2_conn*, std::uint32_t flags, std::int64_t stream,
                          std::uint64_t code, void* core, void*) {
    const bool has_code = (flags & NGTCP2_STREAM_CLOSE_FLAG_APP_ERROR_CODE_SET) != 0;
    return guarded(core, [&](Core& self) {
      self.stream_ended(stream, has_code ? std::optional(code) : std::nullopt);
    });
  }
  static int stream_reset(ngtcp2_conn*, std::int64_t stream, std::uint64_t, std::uint64_t code,
                          void* core, void*) {
    return guarded(core, [&](Core& self) { self.reset_by_peer(stream, code); });
  }
  static int more_streams(ngtcp2_conn*, std::uint64_t, void* core) {
    return guarded(core, [](Core& self) { self.events_.on_streams_available(); });
  }
  // A client counts what it takes; the library ignores a second Retry (RFC 9000 section 17.2.5.2).
  static int recv_retry(ngtcp2_conn* connection, const ngtcp2_pkt_hd* header, void* core) {
    ++static_cast<Core*>(core)->retries_;
    return ngtcp2_crypto_recv_retry_cb(connection, header, core);
  }
  static int stateless_reset(ngtcp2_conn*, const ngtcp2_pkt_stateless_reset2*, void* core) {
    static_cast<Core*>(core)->stateless_reset_ = true;
    return 0;
  }
  // The token goes with the ID, although we never send a stateless reset: without one the frame
  // would be malformed.
  static int new_connection_id(ngtcp2_conn*, ngtcp2_cid* cid, ngtcp2_stateless_reset_token* token,
                               std::size_t length, void* core) {
    cid->datalen = length;
    fill_random(std::span(cid->data).first(length));
    fill_random(token->data);
    return guarded(core, [&](Core& self) {
      if (self.on_connection_id) self.on_connection_id(*cid, true);
    });
  }
  static int remove_connection_id(ngtcp2_conn*, const ngtcp2_cid* cid, void* core) {
    return guarded(core, [&](Core& self) {
      if (self.on_connection_id) self.on_connection_id(*cid, false);
    });
  }
};

ngtcp2_callbacks QuicConnection::Core::make_callbacks(Role role) {
  ngtcp2_callbacks callbacks{};
  if (role == Role::kClient) {
    callbacks.client_initial = ngtcp2_crypto_client_initial_cb;
    callbacks.recv_retry = Callbacks::recv_retry;
  } else {
    callbacks.recv_client_initial = ngtcp2_crypto_recv_client_initial_cb;
  }
  // TLS and packet protection are the glue library's own.
  callbacks.recv_crypto_data = ngtcp2_crypto_recv_crypto_data_cb;
  callbacks.encrypt = ngtcp2_crypto_encrypt_cb;
  callbacks.decrypt = ngtcp2_crypto_decrypt_cb;
  callbacks.hp_mask = ngtcp2_crypto_hp_mask_cb;
  callbacks.update_key = ngtcp2_crypto_update_key_cb;
  callbacks.delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb;
  callbacks.delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb;
  callbacks.version_negotiation = ngtcp2_crypto_version_negotiation_cb;
  callbacks.get_path_challenge_data2 = ngtcp2_crypto_get_path_challenge_data2_cb;
  // The rest tells the application.
  callbacks.rand = Callbacks::rand;
  callbacks.handshake_completed = Callbacks::handshake_completed;
  callbacks.recv_stream_data = Callbacks::recv_stream_data;
  callbacks.acked_stream_data_offset = Callbacks::acked_stream_data;
  callbacks.stream_close = Callbacks::stream_close;
  callbacks.stream_reset = Callbacks::stream_reset;
  callbacks.extend_max_local_streams_bidi = Callbacks::more_streams;
  callbacks.extend_max_local_streams_uni = Callbacks::more_streams;
  callbacks.recv_stateless_reset2 = Callbacks::stateless_reset;
  callbacks.get_new_connection_id2 = Callbacks::new_connection_id;
  callbacks.remove_connection_id = Callbacks::remove_connection_id;
  return callbacks;
}

}  // namespace transport
