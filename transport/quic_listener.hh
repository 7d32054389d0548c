#pragma once

// Server side of QUIC on one or more UDP sockets, without the sockets: finds the connection of each
// datagram, accepts new ones, answers unknown versions (RFC 9000 section 6), validates addresses
// with Retry (section 8.1.2) and ignores garbage.
//
// The pattern per wake-up: receive() for every datagram, then flush() once, then arm a timer for
// expiry().

#include "base/clock.hh"
#include "transport/quic_connection.hh"
#include "transport/quic_events.hh"
#include "transport/tls_context.hh"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace transport {

enum class RetryPolicy { kNever, kAlways };

// The application's side of one accepted connection; owned by the listener and destroyed with the
// connection, after on_closed().
class QuicSession : public QuicEvents {
 public:
  // The connection exists as long as this object; called once, before any event.
  virtual void attach(QuicConnection& connection) = 0;
};
using QuicSessionFactory = std::function<std::unique_ptr<QuicSession>()>;

struct QuicListenerSettings {
  QuicSettings connection;
  RetryPolicy retry = RetryPolicy::kNever;
  // New clients are ignored beyond this many connections.
  std::size_t max_connections = 4096;
};

struct QuicListenerCounters {
  std::uint64_t accepted = 0;
  std::uint64_t retries_sent = 0;           // configured ones
  std::uint64_t spurious_retries_sent = 0;  // ngtcp2 wanted one although the policy does not
  std::uint64_t version_negotiations_sent = 0;
  std::uint64_t invalid_tokens = 0;
  std::uint64_t ignored_datagrams = 0;  // garbage, unknown connections, beyond the limit
};

class QuicListener {
 public:
  // `context`: role server, carrier QUIC; must outlive the listener.
  QuicListener(const TlsContext& context, QuicListenerSettings settings,
               QuicSessionFactory factory);
  QuicListener(const QuicListener&) = delete;
  QuicListener& operator=(const QuicListener&) = delete;
  ~QuicListener();

  void receive(const UdpPath& path, ByteSpan datagram, base::Instant now);
  // Runs the connections whose timer is due.
  void handle_expiry(base::Instant now);
  // Sends what receive(), handle_expiry() and the applications' own calls have caused, stateless
  // answers first, then connection by connection in the order in which they were touched.
  // Connections that an application wrote to outside an event: see touch().
  void flush(base::Instant now, const DatagramSink& sink);
  // Marks a connection that was used outside of events, so that the next flush() serves it.
  void touch(QuicConnection& connection);
  std::optional<base::Instant> expiry() const;

  std::size_t connection_count() const;
  const QuicListenerCounters& counters() const;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace transport
