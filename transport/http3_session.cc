#include "transport/http3_session.hh"

#include "base/errors.hh"
#include "transport/callback_guard.hh"
#include "transport/http3_core.hh"
#include "transport/http_fields.hh"
#include "transport/quic_core.hh"

#include <array>
#include <format>
#include <utility>

namespace transport {
namespace {

constexpr std::uint64_t kRequestCancelled = 0x10c;  // H3_REQUEST_CANCELLED, RFC 9114 section 8.1
// IDs of client-initiated bidirectional streams are four apart (RFC 9000 section 2.1).
constexpr HttpStreamId kStreamIdStep = 4;
constexpr std::size_t kMaxPieces = 16;

}  // namespace

Http3Session::Core::Core(QuicConnection& connection, Role role, HttpClientEvents* client,
                         HttpServerEvents* server)
    : connection_(connection), role_(role), client_(client), server_(server) {
  const nghttp3_callbacks callbacks = make_callbacks();
  nghttp3_settings settings;
  nghttp3_settings_default(&settings);
  settings.qpack_max_dtable_capacity = 0;
  settings.qpack_encoder_max_dtable_capacity = 0;
  settings.qpack_blocked_streams = 0;
  const int made = role == Role::kClient
                       ? nghttp3_conn_client_new(&session_, &callbacks, &settings, nullptr, this)
                       : nghttp3_conn_server_new(&session_, &callbacks, &settings, nullptr, this);
  LABRUN_ASSERT(made == 0);
}

// A peer's mistake closes the connection with the code that HTTP/3 has for it.
void Http3Session::Core::check(int outcome, std::string_view doing) {
  guard_.rethrow();
  if (outcome >= 0) return;
  connection_.close(nghttp3_err_infer_quic_app_error_code(outcome),
                    std::format("{}: {}", doing, nghttp3_strerror(outcome)));
}

void Http3Session::Core::start() {
  started_ = true;
  open_control_streams();
  send_requests();
  pump();
}

// A server could have opened them with its first flight; they would eat into the three times that
// it may send before it knows the client's address (RFC 9000 section 8.1), for nothing that the
// client waits for.
void Http3Session::Core::open_control_streams() {
  if (control_streams_open_) return;
  std::array<StreamId, 3> ids{};
  for (StreamId& id : ids) {
    const std::optional<StreamId> opened = connection_.open_uni_stream();
    if (!opened) {
      // RFC 9114 section 6.2: every peer allows three.
      return connection_.close(nghttp3_err_infer_quic_app_error_code(NGHTTP3_ERR_CONN_CLOSING),
                               "peer allows too few streams for HTTP/3");
    }
    id = *opened;
  }
  control_streams_open_ = true;
  check(nghttp3_conn_bind_control_stream(session_, ids[0]), "open control stream");
  check(nghttp3_conn_bind_qpack_streams(session_, ids[1], ids[2]), "open QPACK streams");
}

HttpStreamId Http3Session::Core::submit(const HttpRequest& request) {
  LABRUN_ASSERT(role_ == Role::kClient && request.body.size() <= kMaxHttpBody);
  const HttpStreamId id = next_request_;
  next_request_ += kStreamIdStep;
  waiting_.emplace_back(id, request);
  if (started_) send_requests();
  return id;
}

void Http3Session::Core::send_requests() {
  while (control_streams_open_ && !waiting_.empty()) {
    const std::optional<StreamId> opened = connection_.open_bidi_stream();
    if (!opened) break;
    LABRUN_ASSERT(*opened == waiting_.front().first);
    send_request(*opened, waiting_.front().second);
    waiting_.pop_front();
  }
  pump();
}

void Http3Session::Core::send_request(HttpStreamId id, const HttpRequest& request) {
  Stream& stream = streams_.try_emplace(id, role_).first->second;
  stream.body = request.body;
  const std::vector<HttpField> fields = request_fields(request);
  const auto pairs = borrow_fields<nghttp3_nv>(fields);
  const nghttp3_data_reader reader = body_reader();
  check(nghttp3_conn_submit_request(session_, id, pairs.data(), pairs.size(),
                                    request.body.empty() ? nullptr : &reader, nullptr),
        "submit request");
}

void Http3Session::Core::respond(HttpStreamId id, const HttpResponse& response) {
  LABRUN_ASSERT(role_ == Role::kServer && response.body.size() <= kMaxHttpBody);
  Stream* const stream = find(id);
  if (stream == nullptr) return;
  stream->body = response.body;
  const std::vector<HttpField> fields = response_fields(response);
  const auto pairs = borrow_fields<nghttp3_nv>(fields);
  const nghttp3_data_reader reader = body_reader();
  // Fails only where the stream has ended meanwhile; then nobody waits.
  nghttp3_conn_submit_response(session_, id, pairs.data(), pairs.size(),
                               response.body.empty() ? nullptr : &reader);
  pump();
}

// Moves everything that nghttp3 has to say into the connection, which keeps it until it is
// acknowledged.
void Http3Session::Core::pump() {
  if (reading_ || !control_streams_open_) return;
  for (;;) {
    StreamId id = -1;
    int fin = 0;
    std::array<nghttp3_vec, kMaxPieces> pieces;
    const nghttp3_ssize count =
        nghttp3_conn_writev_stream(session_, &id, &fin, pieces.data(), pieces.size());
    check(static_cast<int>(count), "write");
    if (count < 0 || id < 0) return;
    Bytes bytes;
    for (nghttp3_ssize i = 0; i < count; ++i) {
      const nghttp3_vec& piece = pieces[static_cast<std::size_t>(i)];
      append(bytes, {piece.base, piece.len});
    }
    connection_.write(id, bytes, fin != 0);
    check(nghttp3_conn_add_write_offset(session_, id, bytes.size()), "write");
    check(nghttp3_conn_add_ack_offset(session_, id, bytes.size()), "write");
  }
}

void Http3Session::Core::receive(StreamId id, ByteSpan bytes, bool fin) {
  // A request that a server gets before its handshake's end is early data.
  if (role_ == Role::kServer && !started_) start();
  reading_ = true;
  // The library's clock only limits how often a peer may do odd things; one budget for a
  // connection's life is enough.
  const nghttp3_ssize taken =
      nghttp3_conn_read_stream2(session_, id, bytes.data(), bytes.size(), fin ? 1 : 0, 0);
  reading_ = false;
  check(static_cast<int>(taken), "read");
  pump();
}

Http3Session::Core::Stream* Http3Session::Core::find(StreamId id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : &found->second;
}

void Http3Session::Core::fields_begin(StreamId id) {
  if (role_ == Role::kServer) streams_.try_emplace(id, role_);
  Stream* const stream = find(id);
  if (stream == nullptr) return;
  const bool first = !stream->incoming.started();
  stream->incoming.begin_fields();
  if (first && client_ != nullptr) client_->on_response_started(id);
}

void Http3Session::Core::field(StreamId id, std::string_view name, std::string_view value) {
  Stream* const stream = find(id);
  if (stream == nullptr || stream->incoming.add_field(name, value)) return;
  give_up(id, "header fields are too long");
}

void Http3Session::Core::body(StreamId id, ByteSpan bytes) {
  Stream* const stream = find(id);
  if (stream == nullptr || stream->incoming.add_body(bytes)) return;
  give_up(id, "body is too long");
}

void Http3Session::Core::message_complete(StreamId id) {
  Stream* const stream = find(id);
  if (stream == nullptr || stream->delivered) return;
  stream->delivered = true;
  if (client_ != nullptr) {
    client_->on_response(id, stream->incoming.response());
  } else {
    server_->on_request(id, stream->incoming.request());
  }
}

void Http3Session::Core::give_up(StreamId id, std::string_view problem) {
  connection_.stop_sending(id, kRequestCancelled);
  connection_.reset_stream(id, kRequestCancelled);
  fail(id, problem);
}

void Http3Session::Core::fail(StreamId id, std::string_view problem) {
  const auto node = streams_.extract(id);
  if (node.empty() || node.mapped().delivered || client_ == nullptr) return;
  client_->on_request_failed(id, problem);
}

void Http3Session::Core::reset_by_peer(StreamId id, std::uint64_t code) {
  check(nghttp3_conn_shutdown_stream_read(session_, id), "reset by peer");
  const Stream* const stream = find(id);
  if (stream != nullptr && !stream->delivered) {
    fail(id, std::format("stream reset by peer: 0x{:x}", code));
  }
}

void Http3Session::Core::stopped_by_peer(StreamId id) {
  nghttp3_conn_shutdown_stream_write(session_, id);
}

void Http3Session::Core::stream_closed(StreamId id) {
  const int outcome = nghttp3_conn_close_stream(session_, id, kHttp3NoError);
  if (outcome != NGHTTP3_ERR_STREAM_NOT_FOUND) check(outcome, "close stream");
  fail(id, "stream closed without a response");
}

Http3Session::Http3Session(QuicConnection& connection, HttpClientEvents& events)
    : core_(std::make_unique<Core>(connection, Role::kClient, &events, nullptr)) {}
Http3Session::Http3Session(QuicConnection& connection, HttpServerEvents& events)
    : core_(std::make_unique<Core>(connection, Role::kServer, nullptr, &events)) {}
Http3Session::~Http3Session() = default;

void Http3Session::on_handshake_completed() {
  core_->start();
}
void Http3Session::on_stream_data(StreamId stream, ByteSpan bytes, bool fin) {
  core_->receive(stream, bytes, fin);
}
void Http3Session::on_stream_reset(StreamId stream, std::uint64_t code) {
  core_->reset_by_peer(stream, code);
}
void Http3Session::on_stop_sending(StreamId stream, std::uint64_t) {
  core_->stopped_by_peer(stream);
}
void Http3Session::on_stream_closed(StreamId stream) {
  core_->stream_closed(stream);
}
void Http3Session::on_streams_available() {
  core_->streams_available();
}
HttpStreamId Http3Session::submit(const HttpRequest& request) {
  return core_->submit(request);
}
void Http3Session::respond(HttpStreamId stream, const HttpResponse& response) {
  core_->respond(stream, response);
}
void Http3Session::close() {
  core_->close();
}

}  // namespace transport
