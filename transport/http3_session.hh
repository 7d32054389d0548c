#pragma once

// HTTP/3 (RFC 9114) on one QUIC connection, both roles, over nghttp3. QPACK uses no dynamic table,
// so that no field section waits for another stream (RFC 9204 section 2.1.2). It never calls
// flush(): that stays with the owner of the connection.
//
// The owner's QuicEvents forward to the functions of the same name here. What is submitted before
// the handshake's end leaves with the handshake's last message, control streams in the same packet.

#include "transport/http_message.hh"
#include "transport/quic_connection.hh"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace transport {

// RFC 9114 section 8.1.
inline constexpr std::uint64_t kHttp3NoError = 0x100;

class Http3Session {
 public:
  // `connection` and `events` must outlive the session.
  Http3Session(QuicConnection& connection, HttpClientEvents& events);
  Http3Session(QuicConnection& connection, HttpServerEvents& events);
  Http3Session(const Http3Session&) = delete;
  Http3Session& operator=(const Http3Session&) = delete;
  ~Http3Session();

  // From QuicEvents; a client may also call the first as soon as early data can be sent. A peer
  // that breaks the protocol closes the connection with HTTP/3's error code.
  void on_handshake_completed();
  void on_stream_data(StreamId stream, ByteSpan bytes, bool fin);
  void on_stream_reset(StreamId stream, std::uint64_t code);
  void on_stop_sending(StreamId stream, std::uint64_t code);
  void on_stream_closed(StreamId stream);
  void on_streams_available();

  // Client: the number of this request, which events use as its stream. Requests beyond the peer's
  // stream limit wait.
  HttpStreamId submit(const HttpRequest& request);
  // Server. Without effect when the stream is gone.
  void respond(HttpStreamId stream, const HttpResponse& response);
  // CONNECTION_CLOSE with H3_NO_ERROR at the next flush().
  void close();

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace transport
