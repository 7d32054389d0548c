#pragma once

// QUIC on one UDP socket: DNS over QUIC or over HTTP/3. Every wake-up reads once, writes once and
// arms the timer that is due next.

#include "base/event_loop.hh"
#include "endpoints/datagram_socket.hh"
#include "transport/quic_listener.hh"

#include <optional>

namespace endpoints {

class QuicEndpoint {
 public:
  // `loop` and `tls` must outlive it.
  QuicEndpoint(base::EventLoop& loop, DatagramSocket socket, const transport::TlsContext& tls,
               const transport::QuicListenerSettings& settings,
               transport::QuicSessionFactory factory);
  QuicEndpoint(const QuicEndpoint&) = delete;
  QuicEndpoint& operator=(const QuicEndpoint&) = delete;
  ~QuicEndpoint();

 private:
  void serve();
  void advance();
  void arm();

  base::EventLoop& loop_;
  DatagramSocket socket_;
  transport::QuicListener listener_;
  base::EventLoop::TimerId timer_;
};

}  // namespace endpoints
