#pragma once

// DNS over QUIC (RFC 9250), strict: what section 4.3.3 calls a protocol error closes the
// connection, so that a client that works here follows the RFC.

#include "endpoints/line_writer.hh"
#include "endpoints/responder.hh"
#include "transport/quic_listener.hh"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

namespace endpoints {

// RFC 9250 section 4.3.
enum class DoqError : std::uint64_t {
  kNoError = 0x0,
  kInternalError = 0x1,
  kProtocolError = 0x2,
  kRequestCancelled = 0x3,
};

class DoqSession final : public transport::QuicSession {
 public:
  // `responder` must outlive the session. `log` gets why a connection went wrong, which the wire
  // only has as a number.
  DoqSession(const Responder& responder, LogSink log)
      : responder_(responder), log_(std::move(log)) {}

  void attach(transport::QuicConnection& connection) override { connection_ = &connection; }
  void on_stream_data(transport::StreamId stream, transport::ByteSpan bytes, bool fin) override;
  void on_stream_reset(transport::StreamId stream, std::uint64_t code) override;
  void on_stream_closed(transport::StreamId stream) override { queries_.erase(stream); }
  void on_closed(const transport::QuicClose& close) override;

 private:
  void answer(transport::StreamId stream, transport::ByteSpan query);
  void fail(std::string_view reason);

  const Responder& responder_;
  LogSink log_;
  transport::QuicConnection* connection_ = nullptr;
  // Queries that are not complete, with their length prefix.
  std::map<transport::StreamId, transport::Bytes> queries_;
  bool closing_ = false;
};

}  // namespace endpoints
