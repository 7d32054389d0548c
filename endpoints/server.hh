#pragma once

// One labdns process: sockets, protocols and answers of a ServerSpec on one event loop.

#include "base/clock.hh"
#include "base/event_loop.hh"
#include "base/file_descriptor.hh"
#include "endpoints/certificate_chain.hh"
#include "endpoints/line_writer.hh"
#include "endpoints/responder.hh"
#include "endpoints/server_spec.hh"
#include "transport/tls_context.hh"

#include <memory>
#include <vector>

namespace endpoints {

class DatagramResponder;
class QuicEndpoint;
class TcpListener;

class Server {
 public:
  // Binds everything. Throws BadSpec for what cannot be, LabError for what could not be had. Takes
  // over the spec's descriptors.
  Server(const base::Clock& clock, const ServerSpec& spec);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // Says that it is ready, then serves until SIGTERM or SIGINT.
  void run();

 private:
  void watch_signals();
  void add_listener(const std::string& address, const ProtocolSpec& listener);
  void add_tcp(const std::string& address, const ProtocolSpec& listener);
  void add_quic(const std::string& address, const ProtocolSpec& listener);
  LogSink log_of(const ProtocolSpec& listener);
  const transport::TlsContext& context_for(Protocol protocol);
  void write_ca_file() const;

  ServerSpec spec_;
  CertificateChain chain_;
  Responder responder_;
  base::FileDescriptor ready_;
  LineWriter keylog_;
  LineWriter log_;
  base::EventLoop loop_;
  base::FileDescriptor signals_;
  bool stopping_ = false;
  // By protocol; before the listeners, which use them.
  std::vector<std::pair<Protocol, std::unique_ptr<transport::TlsContext>>> contexts_;
  std::vector<std::unique_ptr<DatagramResponder>> datagram_responders_;
  std::vector<std::unique_ptr<TcpListener>> tcp_listeners_;
  std::vector<std::unique_ptr<QuicEndpoint>> quic_endpoints_;
};

}  // namespace endpoints
