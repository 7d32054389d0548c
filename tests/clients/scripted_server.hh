#pragma once

// Servers that do exactly what a test scripts, on loopback, each on a thread of its own. Protocols
// come from transport's server roles.

#include "base/clock.hh"
#include "base/file_descriptor.hh"
#include "transport/bytes.hh"
#include "transport/quic_listener.hh"
#include "transport/tls_context.hh"
#include "transport/udp_path.hh"

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace clients {

// A bound socket and the thread that serves it. Derived classes stop() in their destructors, before
// what the thread uses goes.
class ScriptedServer {
 public:
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;
  virtual ~ScriptedServer() = default;

  const transport::SocketAddress& address() const { return address_; }

 protected:
  ScriptedServer(int socket_type, const transport::SocketAddress& address);
  void start(std::function<void()> serve) { thread_ = std::jthread(std::move(serve)); }
  void stop();
  // Waits for `descriptor` to become readable, at most until `deadline`; false when the server
  // stops.
  bool wait_readable(int descriptor, std::optional<base::Instant> deadline = {}) const;

  base::FileDescriptor socket_;
  transport::SocketAddress address_;

 private:
  base::Pipe stop_;  // its write end closed: stop
  std::jthread thread_;
};

using Datagrams = std::vector<transport::Bytes>;

class UdpServer final : public ScriptedServer {
 public:
  // The datagrams that answer one.
  using Script = std::function<Datagrams(transport::ByteSpan datagram)>;
  explicit UdpServer(Script script);
  ~UdpServer() override { stop(); }
};

// One connection's server side.
class Conversation {
 public:
  virtual ~Conversation() = default;
  // What to send for what arrived; nullopt closes the connection.
  virtual std::optional<transport::Bytes> receive(transport::ByteSpan bytes) = 0;
};

// Serves one connection after the other.
class TcpServer final : public ScriptedServer {
 public:
  using Factory = std::function<std::unique_ptr<Conversation>()>;
  explicit TcpServer(Factory factory);
  // On an address of the test's choice: the port of a UDP server, where truncated answers lead.
  TcpServer(Factory factory, const transport::SocketAddress& address);
  ~TcpServer() override { stop(); }
};

class QuicServer final : public ScriptedServer {
 public:
  QuicServer(const transport::TlsContext& context, transport::QuicListenerSettings settings,
             transport::QuicSessionFactory factory);
  ~QuicServer() override { stop(); }

 private:
  void serve_once();

  transport::QuicListener listener_;
};

}  // namespace clients
