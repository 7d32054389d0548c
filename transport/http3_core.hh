#pragma once

// The inside of Http3Session: nghttp3 and the streams that it carries. Only this folder includes
// it.

#include "transport/callback_guard.hh"
#include "transport/http3_session.hh"
#include "transport/http_fields.hh"

#include <nghttp3/nghttp3.h>

#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <utility>

namespace transport {

class Http3Session::Core {
 public:
  Core(QuicConnection& connection, Role role, HttpClientEvents* client, HttpServerEvents* server);
  ~Core() { nghttp3_conn_del(session_); }

  void start();
  void streams_available() {
    if (started_) send_requests();
  }
  void receive(StreamId id, ByteSpan bytes, bool fin);
  void reset_by_peer(StreamId id, std::uint64_t code);
  void stopped_by_peer(StreamId id);
  void stream_closed(StreamId id);
  HttpStreamId submit(const HttpRequest& request);
  void respond(HttpStreamId id, const HttpResponse& response);
  void close() { connection_.close(kHttp3NoError, ""); }

 private:
  struct Callbacks;  // the C side; http3_callbacks.cc
  // One exchange of request and response.
  struct Stream {
    explicit Stream(Role receiver) : incoming(receiver) {}
    HttpAssembly incoming;
    Bytes body;  // to be sent
    bool body_given = false;
    bool delivered = false;
  };
  static nghttp3_callbacks make_callbacks();
  static nghttp3_data_reader body_reader();
  void open_control_streams();
  void send_requests();
  void send_request(HttpStreamId id, const HttpRequest& request);
  void pump();
  void check(int outcome, std::string_view doing);
  void fields_begin(StreamId id);
  void field(StreamId id, std::string_view name, std::string_view value);
  void body(StreamId id, ByteSpan bytes);
  void message_complete(StreamId id);
  void give_up(StreamId id, std::string_view problem);
  void fail(StreamId id, std::string_view problem);
  Stream* find(StreamId id);

  QuicConnection& connection_;
  Role role_;
  HttpClientEvents* client_;
  HttpServerEvents* server_;
  nghttp3_conn* session_ = nullptr;
  CallbackGuard guard_;
  bool started_ = false;
  bool control_streams_open_ = false;
  bool reading_ = false;  // nghttp3 must not be asked for output from its own callbacks
  std::map<StreamId, Stream> streams_;
  HttpStreamId next_request_ = 0;
  std::deque<std::pair<HttpStreamId, HttpRequest>> waiting_;
};

}  // namespace transport
