#pragma once

// DNS over UDP on one socket: every wake-up answers what is there with one read and one write.

#include "base/event_loop.hh"
#include "endpoints/datagram_socket.hh"
#include "endpoints/responder.hh"

namespace endpoints {

class DatagramResponder {
 public:
  // `loop` and `responder` must outlive it.
  DatagramResponder(base::EventLoop& loop, DatagramSocket socket, const Responder& responder);
  DatagramResponder(const DatagramResponder&) = delete;
  DatagramResponder& operator=(const DatagramResponder&) = delete;
  ~DatagramResponder();

 private:
  void serve();

  base::EventLoop& loop_;
  DatagramSocket socket_;
  const Responder& responder_;
};

}  // namespace endpoints
