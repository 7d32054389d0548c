#pragma once

// A QUIC client and a listener joined by a path with delay, in a clock of their own: whole
// connections run in no time, and each datagram can be dropped or held back.

#include "base/clock.hh"
#include "tests/transport/identity.hh"
#include "transport/quic_connection.hh"
#include "transport/quic_listener.hh"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace transport {

inline constexpr base::Nanoseconds kOneWayDelay = std::chrono::milliseconds(20);
inline constexpr base::Nanoseconds kRtt = 2 * kOneWayDelay;

UdpPath client_path();
UdpPath server_path();

struct SentDatagram {
  bool from_client = false;
  std::size_t ordinal = 0;       // of its direction, from 0
  base::Nanoseconds sent_at{0};  // since the start
  Bytes bytes;
};

// What the path does to one datagram: nullopt drops it, otherwise extra delay.
using PathBehaviour = std::function<std::optional<base::Nanoseconds>(const SentDatagram&)>;
// Drops one datagram.
PathBehaviour drop_one(bool from_client, std::size_t ordinal);

class QuicNetwork {
 public:
  // Starts no client yet.
  QuicNetwork(TlsSettings server_tls, QuicListenerSettings listener, QuicSessionFactory factory);
  void connect(const TlsSettings& client_tls, const QuicSettings& settings, QuicEvents& events);
  // Runs until `done`; false when `limit` passed first.
  bool run_until(const std::function<bool()>& done, base::Nanoseconds limit);
  void run_for(base::Nanoseconds duration) {
    run_until([] { return false; }, duration);
  }
  void flush();

  base::Nanoseconds elapsed() const { return clock_.now() - start_; }
  base::Instant now() const { return clock_.now(); }
  std::size_t bytes_sent(bool by_client, base::Nanoseconds until) const;

  PathBehaviour path = [](const SentDatagram&) { return base::Nanoseconds(0); };
  std::vector<SentDatagram> sent;
  std::unique_ptr<QuicConnection> client;
  QuicListener& listener() { return *listener_; }

 private:
  void send(bool from_client, ByteSpan datagram);
  void step(base::Instant limit);

  base::FakeClock clock_;
  base::Instant start_ = clock_.now();
  TlsContext server_context_;
  std::optional<TlsContext> client_context_;
  std::unique_ptr<QuicListener> listener_;
  std::size_t sent_count_[2] = {0, 0};
  std::multimap<base::Instant, SentDatagram> under_way_;
};

}  // namespace transport
