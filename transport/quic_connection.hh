#pragma once

// One QUIC connection (RFC 9000, 9001, 9002) of either role over ngtcp2, without socket and clock:
// datagrams and instants go in, datagrams come out.
//
// The pattern: receive() every datagram that is there, or handle_expiry() when expiry() has come,
// use streams, then flush() once and arm a timer for expiry(). All instants come from the same
// clock.

#include "base/clock.hh"
#include "transport/quic_events.hh"
#include "transport/tls_context.hh"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace transport {

struct QuicAcceptance;  // what a listener learned from a first packet; quic_core.hh

struct QuicFacts {
  TlsFacts tls;
  std::uint32_t version = 0;  // 1 for RFC 9000
  std::uint64_t retries = 0;  // client: Retry packets taken; server: 1 when a Retry token came back
  bool early_data_offered = false;  // client
  bool token_accepted = false;      // server: the client's address was validated by a token
  QuicStatistics statistics;
};

class QuicConnection {
 public:
  // A client; its first flight is ready for flush(). `context` (carrier QUIC) and `events` must
  // outlive it.
  // receive() must be given the same `path` later: another local address would be taken for a
  // migration.
  static std::unique_ptr<QuicConnection> connect(const TlsContext& context,
                                                 const QuicSettings& settings,
                                                 std::string_view server_name, const UdpPath& path,
                                                 base::Instant now, QuicEvents& events);
  // A server's; QuicListener calls this.
  static std::unique_ptr<QuicConnection> accept(const TlsContext& context,
                                                const QuicSettings& settings,
                                                const QuicAcceptance& acceptance, base::Instant now,
                                                QuicEvents& events);
  QuicConnection(const QuicConnection&) = delete;
  QuicConnection& operator=(const QuicConnection&) = delete;
  ~QuicConnection();

  enum class Received {
    kTaken,        // processed, or ignored as RFC 9000 asks for
    kRetryWanted,  // server: only a Retry answers this Initial; the connection is of no use
    kDropped,      // server: forget the connection, say nothing
  };
  Received receive(const UdpPath& path, ByteSpan datagram, base::Instant now);
  // Writes until nothing is left or the congestion window, the anti-amplification limit or flow
  // control stops it.
  void flush(base::Instant now, const DatagramSink& sink);
  // When handle_expiry() is due; nullopt: no timer. May lie in the past, then call it at once.
  std::optional<base::Instant> expiry() const;
  void handle_expiry(base::Instant now);

  // nullopt while the peer allows none (also before the handshake's end); on_streams_available()
  // tells when to try again.
  std::optional<StreamId> open_bidi_stream();
  std::optional<StreamId> open_uni_stream();
  // Queues; the bytes are copied. `fin` ends our direction. Without effect on a stream that is gone
  // or ended.
  void write(StreamId stream, ByteSpan bytes, bool fin);
  void reset_stream(StreamId stream, std::uint64_t code);
  void stop_sending(StreamId stream, std::uint64_t code);
  // CONNECTION_CLOSE with the next flush(), in place of anything still queued. The first call
  // counts.
  void close(std::uint64_t application_code, std::string_view reason);

  bool handshake_completed() const;
  // Client: whether streams can be opened before the handshake's end.
  bool early_data_offered() const;
  // Client, after the handshake: Resumption::quic_parameters for the next connection.
  Bytes resumption_parameters() const;
  // Client, after the handshake was confirmed: goes on from another local address at once, while
  // that path is being validated (RFC 9000 section 9.2). Throws LabError where the server forbids
  // it or has given no connection ID to spare.
  void migrate(const UdpPath& path, base::Instant now);
  // Client: the same datagrams come from another local address, as behind a NAT that has forgotten
  // the old one; the connection does nothing about it (section 9.3.3).
  void rebind(const UdpPath& path);
  // How it ended. From then on flush() sends nothing but the CONNECTION_CLOSE (again, now and then,
  // when the peer keeps sending).
  const std::optional<QuicClose>& closed() const;
  QuicFacts facts() const;

 private:
  friend class QuicListener;
  class Core;  // everything that knows ngtcp2
  explicit QuicConnection(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace transport
