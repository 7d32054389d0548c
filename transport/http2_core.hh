#pragma once

// The inside of Http2Session: nghttp2 and the streams that it carries. Only this folder includes
// it.

#include "transport/callback_guard.hh"
#include "transport/http2_session.hh"
#include "transport/http_fields.hh"

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace transport {

class Http2Session::Core {
 public:
  Core(Role role, HttpClientEvents* client, HttpServerEvents* server);
  ~Core() { nghttp2_session_del(session_); }

  void receive(ByteSpan bytes);
  Bytes take_output();
  HttpStreamId submit(const HttpRequest& request);
  void respond(HttpStreamId id, const HttpResponse& response);
  void close();
  const std::optional<std::string>& failure() const { return failure_; }
  bool finished() const;

 private:
  struct Callbacks;  // the C side; http2_callbacks.cc
  // One exchange of request and response.
  struct Stream {
    explicit Stream(Role receiver) : incoming(receiver) {}
    HttpAssembly incoming;
    Bytes body;  // to be sent
    std::size_t body_sent = 0;
    bool delivered = false;
    std::string problem;  // why we gave it up
  };
  // Owned by the caller.
  static nghttp2_session_callbacks* make_callbacks();
  // Gives out the stream's body; borrows the stream.
  static nghttp2_data_provider2 body_of(Stream& stream);
  void pump();
  void fields_begin(std::int32_t id);
  void field(std::int32_t id, std::string_view name, std::string_view value);
  void data(std::int32_t id, ByteSpan bytes);
  void frame_received(const nghttp2_frame& frame);
  void message_complete(std::int32_t id);
  void stream_closed(std::int32_t id, std::string_view reason);
  void give_up(std::int32_t id, std::string_view problem);
  Stream* find(HttpStreamId id);

  Role role_;
  HttpClientEvents* client_;
  HttpServerEvents* server_;
  nghttp2_session* session_ = nullptr;
  CallbackGuard guard_;
  std::map<HttpStreamId, Stream> streams_;
  Bytes output_;
  std::optional<std::string> failure_;
};

}  // namespace transport
