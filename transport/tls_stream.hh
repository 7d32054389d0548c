#pragma once

// TLS over a byte stream, both roles, without a socket: the peer's bytes go in, ours come out. The
// caller sends what take_output() gives in one send().
//
// write() before the end of the handshake is early data, where that is agreed on. Else it is kept
// back and leaves together with the handshake's own last message, so a client that writes its
// request at once sends Finished and request in one piece.

#include "transport/bytes.hh"
#include "transport/tls_context.hh"

#include <openssl/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace transport {

class TlsStream {
 public:
  // A client's ClientHello is in take_output() from the start. `server_name` as in
  // TlsContext::new_session(). Where `early` is set and the session resumed allows early data, the
  // ClientHello waits for the first write() and leaves together with it.
  enum class Early { kNo, kYes };
  TlsStream(const TlsContext& context, std::string_view server_name, ByteSpan resumed = {},
            Early early = Early::kNo);
  TlsStream(TlsStream&&) noexcept = default;
  TlsStream& operator=(TlsStream&&) noexcept = default;

  // Bytes from the peer: continues the handshake and decrypts. After a failure nothing is read any
  // more.
  void receive(ByteSpan ciphertext);
  // The peer ended the byte stream. Without a close_notify before it this is a truncation: a
  // failure() while the handshake runs, peer_closed() after it.
  void receive_end();

  // Application data to send; see above for when it leaves. Ignored after close() or a failure.
  void write(ByteSpan plaintext);
  // Application data that arrived since the last call.
  Bytes take_plaintext();
  // Everything to be sent now, an alert included; empty when there is nothing.
  Bytes take_output();

  bool handshake_complete() const { return handshake_complete_; }
  // Client: whether data was sent before the handshake's end, or is going to be.
  bool early_data_offered() const { return early_data_offered_; }
  // The peer will send no more application data.
  bool peer_closed() const { return peer_closed_; }
  // close_notify into the output. Writing ends; reading goes on.
  void close();

  // Why the connection cannot go on: "alert received: handshake failure (40)", "certificate verify
  // failed: ...".
  const std::optional<std::string>& failure() const { return failure_; }
  TlsFacts facts() const { return tls_facts(session_.get()); }

 private:
  struct Free {
    void operator()(SSL* session) const noexcept;
  };
  void advance();
  void write_early(ByteSpan plaintext);
  bool read_early();
  void complete_handshake();
  void flush_writes();
  void read_plaintext();
  void fail(int ssl_error);

  std::unique_ptr<SSL, Free> session_;
  Bytes unsent_;     // application data waiting for the handshake's end
  Bytes plaintext_;  // received and not taken
  Bytes early_;      // sent before the handshake's end, for the case that it is refused
  std::optional<std::string> failure_;
  bool is_server_ = false;
  bool early_data_offered_ = false;  // by a client
  bool early_data_open_ = false;     // what is written now is early data
  bool early_data_awaited_ = false;  // by a server, up to the client's word that it has ended
  bool handshake_complete_ = false;
  bool peer_closed_ = false;
  bool closed_ = false;
};

}  // namespace transport
