// What nghttp3 calls.

#include "transport/http3_core.hh"
#include "transport/quic_core.hh"

#include <utility>

namespace transport {

// Each only turns C into C++ and keeps exceptions in.
struct Http3Session::Core::Callbacks {
  template <typename Action>
  static int guarded(void* core, Action&& action) {
    return static_cast<Core*>(core)->guard_.run(NGHTTP3_ERR_CALLBACK_FAILURE, [&] {
      action(*static_cast<Core*>(core));
      return 0;
    });
  }
  static std::string_view text(nghttp3_rcbuf* buffer) {
    const nghttp3_vec bytes = nghttp3_rcbuf_get_buf(buffer);
    return {reinterpret_cast<const char*>(bytes.base), bytes.len};
  }
  static int begin_headers(nghttp3_conn*, std::int64_t id, void* core, void*) {
    return guarded(core, [&](Core& self) { self.fields_begin(id); });
  }
  static int recv_header(nghttp3_conn*, std::int64_t id, std::int32_t, nghttp3_rcbuf* name,
                         nghttp3_rcbuf* value, std::uint8_t, void* core, void*) {
    return guarded(core, [&](Core& self) { self.field(id, text(name), text(value)); });
  }
  static int recv_data(nghttp3_conn*, std::int64_t id, const std::uint8_t* bytes,
                       std::size_t length, void* core, void*) {
    return guarded(core, [&](Core& self) { self.body(id, {bytes, length}); });
  }
  static int end_stream(nghttp3_conn*, std::int64_t id, void* core, void*) {
    return guarded(core, [&](Core& self) { self.message_complete(id); });
  }
  static int stop_sending(nghttp3_conn*, std::int64_t id, std::uint64_t code, void* core, void*) {
    return guarded(core, [&](Core& self) { self.connection_.stop_sending(id, code); });
  }
  static int reset_stream(nghttp3_conn*, std::int64_t id, std::uint64_t code, void* core, void*) {
    return guarded(core, [&](Core& self) { self.connection_.reset_stream(id, code); });
  }
  static void rand(std::uint8_t* bytes, std::size_t length) { fill_random({bytes, length}); }
  // Gives the whole body in one piece; it is copied before the next call into nghttp3.
  static nghttp3_ssize read_body(nghttp3_conn*, std::int64_t id, nghttp3_vec* pieces, std::size_t,
                                 std::uint32_t* flags, void* core, void*) {
    *flags |= NGHTTP3_DATA_FLAG_EOF;
    Stream* const stream = static_cast<Core*>(core)->find(id);
    if (stream == nullptr || std::exchange(stream->body_given, true)) return 0;
    pieces[0] = {stream->body.data(), stream->body.size()};
    return 1;
  }
};

nghttp3_callbacks Http3Session::Core::make_callbacks() {
  nghttp3_callbacks callbacks{};
  callbacks.begin_headers = Callbacks::begin_headers;
  callbacks.recv_header = Callbacks::recv_header;
  callbacks.recv_data = Callbacks::recv_data;
  callbacks.end_stream = Callbacks::end_stream;
  callbacks.stop_sending = Callbacks::stop_sending;
  callbacks.reset_stream = Callbacks::reset_stream;
  callbacks.rand = Callbacks::rand;
  return callbacks;
}

nghttp3_data_reader Http3Session::Core::body_reader() {
  return {.read_data = Callbacks::read_body};
}

}  // namespace transport
