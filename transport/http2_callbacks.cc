// What nghttp2 calls.

#include "base/errors.hh"
#include "transport/http2_core.hh"

#include <algorithm>
#include <format>

namespace transport {

// Each only turns C into C++ and keeps exceptions in.
struct Http2Session::Core::Callbacks {
  template <typename Action>
  static int guarded(void* core, Action&& action) {
    return static_cast<Core*>(core)->guard_.run(static_cast<int>(NGHTTP2_ERR_CALLBACK_FAILURE),
                                                [&] {
                                                  action(*static_cast<Core*>(core));
                                                  return 0;
                                                });
  }
  static int begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* core) {
    return guarded(core, [&](Core& self) { self.fields_begin(frame->hd.stream_id); });
  }
  static int header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_length, const std::uint8_t* value, std::size_t value_length,
                    std::uint8_t, void* core) {
    const std::string_view name_text(reinterpret_cast<const char*>(name), name_length);
    const std::string_view value_text(reinterpret_cast<const char*>(value), value_length);
    return guarded(core,
                   [&](Core& self) { self.field(frame->hd.stream_id, name_text, value_text); });
  }
  static int data_chunk(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                        std::size_t length, void* core) {
    return guarded(core, [&](Core& self) { self.data(id, {bytes, length}); });
  }
  static int frame_recv(nghttp2_session*, const nghttp2_frame* frame, void* core) {
    return guarded(core, [&](Core& self) { self.frame_received(*frame); });
  }
  // The library ends the session itself when the peer breaks a rule; a GOAWAY with an error shows
  // that it did.
  static int frame_send(nghttp2_session*, const nghttp2_frame* frame, void* core) {
    return guarded(core, [&](Core& self) {
      if (frame->hd.type != NGHTTP2_GOAWAY || frame->goaway.error_code == NGHTTP2_NO_ERROR) return;
      self.failure_ =
          std::format("peer broke HTTP/2: {}", nghttp2_http2_strerror(frame->goaway.error_code));
    });
  }
  // A request that could not even leave, for example after the peer's GOAWAY.
  static int frame_not_send(nghttp2_session*, const nghttp2_frame* frame, int error, void* core) {
    return guarded(core, [&](Core& self) {
      if (frame->hd.type != NGHTTP2_HEADERS) return;
      self.stream_closed(frame->hd.stream_id, nghttp2_strerror(error));
    });
  }
  static int stream_close(nghttp2_session*, std::int32_t id, std::uint32_t code, void* core) {
    return guarded(core, [&](Core& self) {
      self.stream_closed(id, std::format("stream closed: {}", nghttp2_http2_strerror(code)));
    });
  }
  static nghttp2_ssize read_body(nghttp2_session*, std::int32_t, std::uint8_t* to, std::size_t room,
                                 std::uint32_t* flags, nghttp2_data_source* source, void*) {
    Stream& stream = *static_cast<Stream*>(source->ptr);
    const ByteSpan left = ByteSpan(stream.body).subspan(stream.body_sent);
    const std::size_t length = std::min(left.size(), room);
    std::ranges::copy(left.first(length), to);
    stream.body_sent += length;
    if (stream.body_sent == stream.body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<nghttp2_ssize>(length);
  }
};

nghttp2_session_callbacks* Http2Session::Core::make_callbacks() {
  nghttp2_session_callbacks* callbacks = nullptr;
  LABRUN_ASSERT(nghttp2_session_callbacks_new(&callbacks) == 0);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, Callbacks::begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::data_chunk);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::frame_recv);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, Callbacks::frame_send);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, Callbacks::frame_not_send);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Callbacks::stream_close);
  return callbacks;
}

nghttp2_data_provider2 Http2Session::Core::body_of(Stream& stream) {
  return {.source = {.ptr = &stream}, .read_callback = Callbacks::read_body};
}

}  // namespace transport
