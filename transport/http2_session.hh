#pragma once

// HTTP/2 (RFC 9113) over any byte stream, both roles, over nghttp2: bytes in, bytes out.
//
// Preface and SETTINGS are in take_output() from the start, and a client's request does not wait
// for the server's: submit at once and give everything to TlsStream::write() before the handshake,
// then Finished, preface and request leave in one piece.

#include "transport/bytes.hh"
#include "transport/http_message.hh"

#include <memory>
#include <optional>
#include <string>

namespace transport {

class Http2Session {
 public:
  // `events` must outlive the session.
  explicit Http2Session(HttpClientEvents& events);
  explicit Http2Session(HttpServerEvents& events);
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;
  ~Http2Session();

  // Plaintext from the peer. After a failure nothing is read any more.
  void receive(ByteSpan bytes);
  // Everything to be sent now.
  Bytes take_output();

  // Client.
  HttpStreamId submit(const HttpRequest& request);
  // Server. Without effect when the stream is gone.
  void respond(HttpStreamId stream, const HttpResponse& response);
  // GOAWAY with NO_ERROR into the output.
  void close();

  // The peer broke the protocol; a GOAWAY that says so is in the output.
  const std::optional<std::string>& failure() const;
  // Nothing to read or write any more, for example after GOAWAY and the last stream.
  bool finished() const;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace transport
