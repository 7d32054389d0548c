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
  const transport::TlsContext* tls = nullptr;         // null for transports without encryption
  const transport::Resumption* resumption = nullptr;  // null for a full handshake
};

// Constructing one prepares what can be prepared; the network sees nothing before start().
class Exchange {
 public:
  virtual ~Exchange() = default;

  // Opens the socket and sends what the transport sends first.
  virtual void start() = 0;
  // Asks the same question once more on the open connection, for a progress that has begun anew.
  // Only where the last one was answered, and on transports that have connections.
  virtual void ask_again() = 0;
  // Adds what is known beside the session to resume the connection with; after an answer.
  virtual void remember(transport::Resumption& /*resumption*/) const {}
  // The timeout has passed. An exchange that knows more than "no answer" fails the query.
  virtual void expire() {}
  // Says goodbye as the transport does, without waiting for anything; the socket closes with the
  // exchange.
  virtual void close() = 0;
};

std::unique_ptr<Exchange> make_exchange(const ExchangeContext& context);

}  // namespace clients
