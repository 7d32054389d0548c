#pragma once

// One query under way over one transport: from the socket to the answer. It reports to the query's
// progress and never waits; the loop calls it.

#include "base/event_loop.hh"
#include "clients/client_socket.hh"
#include "clients/query_progress.hh"
#include "clients/query_spec.hh"
#include "transport/tls_context.hh"

#include <memory>

namespace clients {

// What an exchange uses and does not own; all of it outlives the exchange.
struct ExchangeContext {
  base::EventLoop& loop;
  const QuerySpec& spec;
  QueryProgress& progress;
  ReceiveBuffer& buffer;
  const transport::TlsContext* tls = nullptr;  // null for transports without encryption
};

// Constructing one prepares what can be prepared; the network sees nothing before start().
class Exchange {
 public:
  virtual ~Exchange() = default;

  // Opens the socket and sends what the transport sends first.
  virtual void start() = 0;
  // The timeout has passed. An exchange that knows more than "no answer" fails the query.
  virtual void expire() {}
  // Says goodbye as the transport does, without waiting for anything; the socket closes with the
  // exchange.
  virtual void close() = 0;
};

std::unique_ptr<Exchange> make_exchange(const ExchangeContext& context);

}  // namespace clients
