#pragma once

// A listening TCP socket and its connections: DNS over TCP, over TLS, over HTTP/2.

#include "base/clock.hh"
#include "base/event_loop.hh"
#include "base/file_descriptor.hh"
#include "endpoints/line_writer.hh"
#include "endpoints/stream_session.hh"
#include "endpoints/tcp_connection.hh"

#include <chrono>
#include <cstddef>
#include <memory>
#include <unordered_map>

namespace endpoints {

struct TcpListenerSettings {
  const transport::TlsContext* tls = nullptr;  // null: plain TCP; outlives the listener
  StreamSessionFactory make_session;
  // A connection that brings nothing for this long is closed.
  base::Nanoseconds idle_timeout{0};
  // Gets a line about each TLS handshake that failed.
  LogSink log;
};

class TcpListener {
 public:
  // Of each listener. Further ones wait in the kernel's backlog until one ends.
  static constexpr std::size_t kMostConnections = 1024;
  // Without accepting, when the process has no descriptor left.
  static constexpr base::Nanoseconds kPause = std::chrono::milliseconds(200);

  // `loop` must outlive the listener.
  TcpListener(base::EventLoop& loop, base::FileDescriptor socket, TcpListenerSettings settings);
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;
  ~TcpListener();

 private:
  struct Client;
  void accept();
  void pause();
  void serve(int descriptor, std::uint32_t events);
  void check_idle(int descriptor);
  void close(int descriptor);
  void watch_idle(int descriptor, base::Instant since);

  base::EventLoop& loop_;
  base::FileDescriptor socket_;
  TcpListenerSettings settings_;
  base::EventLoop::TimerId pause_timer_;
  std::unordered_map<int, std::unique_ptr<Client>> clients_;
};

}  // namespace endpoints
