#include "transport/http2_session.hh"

#include "base/errors.hh"
#include "transport/callback_guard.hh"
#include "transport/http2_core.hh"
#include "transport/http_fields.hh"

#include <format>
#include <utility>

namespace transport {
namespace {

// A client may have this many queries under way (RFC 9113 section 5.1.2 recommends at least 100).
constexpr std::uint32_t kMaxConcurrentStreams = 100;

}  // namespace

Http2Session::Core::Core(Role role, HttpClientEvents* client, HttpServerEvents* server)
    : role_(role), client_(client), server_(server) {
  nghttp2_session_callbacks* const callbacks = make_callbacks();
  const int made = role == Role::kClient ? nghttp2_session_client_new(&session_, callbacks, this)
                                         : nghttp2_session_server_new(&session_, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  LABRUN_ASSERT(made == 0);
  // The preface goes with the first output by itself.
  const nghttp2_settings_entry settings =
      role == Role::kClient
          ? nghttp2_settings_entry{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}
          : nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kMaxConcurrentStreams};
  LABRUN_ASSERT(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &settings, 1) == 0);
}

void Http2Session::Core::receive(ByteSpan bytes) {
  if (failure_) return;
  const nghttp2_ssize taken = nghttp2_session_mem_recv2(session_, bytes.data(), bytes.size());
  guard_.rethrow();
  pump();
  if (taken < 0 && !failure_) failure_ = nghttp2_strerror(static_cast<int>(taken));
}

// The library has its own order: SETTINGS and acknowledgements first, then bodies as far as the
// peer's windows allow.
void Http2Session::Core::pump() {
  const std::uint8_t* bytes = nullptr;
  nghttp2_ssize length = 0;
  while ((length = nghttp2_session_mem_send2(session_, &bytes)) > 0) {
    append(output_, {bytes, static_cast<std::size_t>(length)});
  }
  guard_.rethrow();
  if (length < 0 && !failure_) failure_ = nghttp2_strerror(static_cast<int>(length));
}

Bytes Http2Session::Core::take_output() {
  pump();
  return std::exchange(output_, {});
}

Http2Session::Core::Stream* Http2Session::Core::find(HttpStreamId id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : &found->second;
}

void Http2Session::Core::fields_begin(std::int32_t id) {
  if (role_ == Role::kServer) streams_.try_emplace(id, role_);
  Stream* const stream = find(id);
  if (stream == nullptr) return;
  const bool first = !stream->incoming.started();
  stream->incoming.begin_fields();
  if (first && client_ != nullptr) client_->on_response_started(id);
}

void Http2Session::Core::field(std::int32_t id, std::string_view name, std::string_view value) {
  Stream* const stream = find(id);
  if (stream == nullptr || stream->incoming.add_field(name, value)) return;
  give_up(id, "header fields are too long");
}

void Http2Session::Core::data(std::int32_t id, ByteSpan bytes) {
  Stream* const stream = find(id);
  if (stream == nullptr || stream->incoming.add_body(bytes)) return;
  give_up(id, "body is too long");
}

// Once; nghttp2 goes on with the rest of what it has read.
void Http2Session::Core::give_up(std::int32_t id, std::string_view problem) {
  Stream& stream = streams_.at(id);
  if (!stream.problem.empty()) return;
  stream.problem = problem;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
}

void Http2Session::Core::frame_received(const nghttp2_frame& frame) {
  if (frame.hd.type == NGHTTP2_GOAWAY && frame.goaway.error_code != NGHTTP2_NO_ERROR) {
    failure_ =
        std::format("peer ended HTTP/2: {}", nghttp2_http2_strerror(frame.goaway.error_code));
  }
  const bool carries_message = frame.hd.type == NGHTTP2_HEADERS || frame.hd.type == NGHTTP2_DATA;
  if (carries_message && (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
    message_complete(frame.hd.stream_id);
  }
}

void Http2Session::Core::message_complete(std::int32_t id) {
  Stream* const stream = find(id);
  if (stream == nullptr || stream->delivered || !stream->problem.empty()) return;
  stream->delivered = true;
  if (client_ != nullptr) {
    client_->on_response(id, stream->incoming.response());
  } else {
    server_->on_request(id, stream->incoming.request());
  }
}

// A client hears of every request exactly once: as a response, or here.
void Http2Session::Core::stream_closed(std::int32_t id, std::string_view reason) {
  const auto node = streams_.extract(HttpStreamId{id});
  if (node.empty() || node.mapped().delivered || client_ == nullptr) return;
  client_->on_request_failed(id, node.mapped().problem.empty() ? reason : node.mapped().problem);
}

HttpStreamId Http2Session::Core::submit(const HttpRequest& request) {
  LABRUN_ASSERT(role_ == Role::kClient && request.body.size() <= kMaxHttpBody);
  const std::vector<HttpField> fields = request_fields(request);
  const auto pairs = borrow_fields<nghttp2_nv>(fields);
  // nghttp2 gives IDs in order, so the stream's place is known before it exists.
  const HttpStreamId id = nghttp2_session_get_next_stream_id(session_);
  Stream& stream = streams_.try_emplace(id, role_).first->second;
  stream.body = request.body;
  const nghttp2_data_provider2 body = body_of(stream);
  const std::int32_t submitted =
      nghttp2_submit_request2(session_, nullptr, pairs.data(), pairs.size(),
                              request.body.empty() ? nullptr : &body, nullptr);
  if (submitted < 0) {
    throw base::LabError(std::format("submit HTTP/2 request: {}", nghttp2_strerror(submitted)));
  }
  LABRUN_ASSERT(submitted == id);
  return id;
}

void Http2Session::Core::respond(HttpStreamId id, const HttpResponse& response) {
  LABRUN_ASSERT(role_ == Role::kServer && response.body.size() <= kMaxHttpBody);
  Stream* const stream = find(id);
  if (stream == nullptr) return;
  stream->body = response.body;
  const std::vector<HttpField> fields = response_fields(response);
  const auto pairs = borrow_fields<nghttp2_nv>(fields);
  const nghttp2_data_provider2 body = body_of(*stream);
  // Fails only where the stream has ended meanwhile; then nobody waits.
  nghttp2_submit_response2(session_, static_cast<std::int32_t>(id), pairs.data(), pairs.size(),
                           response.body.empty() ? nullptr : &body);
}

void Http2Session::Core::close() {
  nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
}

bool Http2Session::Core::finished() const {
  return output_.empty() && nghttp2_session_want_read(session_) == 0 &&
         nghttp2_session_want_write(session_) == 0;
}

Http2Session::Http2Session(HttpClientEvents& events)
    : core_(std::make_unique<Core>(Role::kClient, &events, nullptr)) {}
Http2Session::Http2Session(HttpServerEvents& events)
    : core_(std::make_unique<Core>(Role::kServer, nullptr, &events)) {}
Http2Session::~Http2Session() = default;

void Http2Session::receive(ByteSpan bytes) {
  core_->receive(bytes);
}
Bytes Http2Session::take_output() {
  return core_->take_output();
}
HttpStreamId Http2Session::submit(const HttpRequest& request) {
  return core_->submit(request);
}
void Http2Session::respond(HttpStreamId stream, const HttpResponse& response) {
  core_->respond(stream, response);
}
void Http2Session::close() {
  core_->close();
}
const std::optional<std::string>& Http2Session::failure() const {
  return core_->failure();
}
bool Http2Session::finished() const {
  return core_->finished();
}

}  // namespace transport
