#pragma once

// What a QUIC connection tells its application, and what it is told at the start.

#include "base/clock.hh"
#include "base/rng.hh"
#include "transport/bytes.hh"
#include "transport/tls_context.hh"
#include "transport/udp_path.hh"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace transport {

using StreamId = std::int64_t;

// Gets each datagram to be sent, valid during the call. Batch them into one sendmmsg(); do not call
// back into the connection.
using DatagramSink = std::function<void(const UdpPath& path, ByteSpan datagram)>;
// Gets the qlog (JSON-SEQ) of one connection in pieces; `last` ends it.
using QlogSink = std::function<void(ByteSpan piece, bool last)>;

struct QuicSettings {
  // RTT before a sample exists (RFC 9002 section 6.2.2): the first PTO is three times this.
  base::Nanoseconds initial_rtt = std::chrono::milliseconds(333);
  // Largest UDP payload that we send, 1200 to 65527. Without `pmtud` it is used from the first
  // datagram on (a client's Initial is padded to it, which also raises the server's budget), with
  // it this bounds the probes and 1200 is where they start.
  std::size_t max_udp_payload = 1200;
  // Path MTU discovery sends probes that no query needs, so it is off.
  bool pmtud = false;
  // From the start to the handshake's end; zero: no limit.
  base::Nanoseconds handshake_timeout{0};
  base::Nanoseconds idle_timeout = std::chrono::seconds(30);
  // Streams that the peer may open at a time, and bytes that it may have in flight per stream and
  // in all. More streams are granted by the half of the limit, so that a connection with few
  // queries carries no MAX_STREAMS.
  std::uint64_t max_bidi_streams = 100;
  std::uint64_t max_uni_streams = 3;
  std::uint64_t stream_window = 262'144;
  std::uint64_t connection_window = 1'048'576;
  // Decides the library's own draws, none of which is a secret: how a ClientHello is cut into
  // frames, where PINGs go, which packet numbers are left out. Empty: random.
  std::optional<base::Seed> seed;
  QlogSink qlog;
  // Client: resumes that connection, where its session is not empty, and with `early_data` lets
  // streams be opened and written before the first flush() (0-RTT, RFC 9001 section 4.6), where the
  // ticket allows it.
  Resumption resumption;
  bool early_data = false;
};

// How a connection ended.
struct QuicClose {
  enum class Cause {
    kApplication,  // CONNECTION_CLOSE of type 0x1d; `code` is the application protocol's
    kTransport,  // CONNECTION_CLOSE of type 0x1c; `code` is of RFC 9000 section 20.1, 0x100 + alert
                 // for TLS
    kIdleTimeout,         // nothing heard for the idle timeout
    kHandshakeTimeout,    // QuicSettings::handshake_timeout
    kVersionNegotiation,  // the server speaks none of our versions
    kStatelessReset,
    kDropped,  // the library asked to forget the connection without a word
  };
  Cause cause = Cause::kApplication;
  bool by_peer = false;
  std::uint64_t code = 0;
  std::string reason;  // the peer's phrase, or our own words
  // "closed by peer: transport error 0x12a (TLS alert: bad certificate (42)): reason"
  std::string describe() const;
};

// Counters and estimates of one connection. QUIC packets, not datagrams.
struct QuicStatistics {
  base::Nanoseconds latest_rtt{0};  // 0 until there is a sample
  base::Nanoseconds min_rtt{0};
  base::Nanoseconds smoothed_rtt{0};
  base::Nanoseconds rttvar{0};
  std::uint64_t packets_sent = 0;
  std::uint64_t packets_received = 0;
  std::uint64_t packets_lost = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

// Implemented by what runs on a connection. Called from within receive(), flush() and
// handle_expiry(); may call the connection's stream functions and close(), but must not destroy it.
// An exception leaves through the call that caused the event.
class QuicEvents {
 public:
  virtual ~QuicEvents() = default;

  // The server refused what was sent early: all streams are gone, and IDs begin anew. Right before
  // on_handshake_completed().
  virtual void on_early_data_rejected() {}
  // From here on streams can be opened, if not before. What is written now leaves together with the
  // handshake's last message.
  virtual void on_handshake_completed() {}
  // Bytes in order; `fin` with the last of them, which may be none.
  virtual void on_stream_data(StreamId stream, ByteSpan bytes, bool fin) = 0;
  // RESET_STREAM from the peer: no more bytes will come.
  virtual void on_stream_reset(StreamId /*stream*/, std::uint64_t /*code*/) {}
  // The peer did not want our bytes of this stream (STOP_SENDING). The library answers with a reset
  // by itself and tells it only when the stream has ended in both directions, so this comes right
  // before on_stream_closed().
  virtual void on_stop_sending(StreamId /*stream*/, std::uint64_t /*code*/) {}
  // Both directions are done and acknowledged; the ID is of no use any more.
  virtual void on_stream_closed(StreamId /*stream*/) {}
  // The peer allows more streams of ours than before.
  virtual void on_streams_available() {}
  // Once, last of all events. A close() of our own is reported too.
  virtual void on_closed(const QuicClose& close) = 0;
};

}  // namespace transport
