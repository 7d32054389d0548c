#pragma once

// How a DNS message travels on a QUIC connection: on a stream of its own (DoQ), or as an HTTP/3
// request.

#include "clients/query_progress.hh"
#include "clients/query_spec.hh"
#include "transport/quic_connection.hh"
#include "transport/quic_events.hh"

#include <memory>

namespace clients {

// One query on one connection, whose events it gets but for the connection's end. Reports first
// byte, answer and failures to the query's progress.
class QuicCarrier : public transport::QuicEvents {
 public:
  // The request is in the connection's hands and leaves with its next flush().
  virtual bool request_queued() const = 0;
  // Asks the same question once more.
  virtual void ask_again() = 0;
  // The timeout has passed. Fails the query where that is the server's fault.
  virtual void expire() {}
  // Closes the connection with the protocol's own code.
  virtual void close() = 0;
  void on_closed(const transport::QuicClose& /*close*/) final {}
};

// DoH3 for Transport::kDoh3, else DoQ. `connection` and `progress` outlive the carrier.
std::unique_ptr<QuicCarrier> make_quic_carrier(const QuerySpec& spec,
                                               transport::QuicConnection& connection,
                                               QueryProgress& progress);

}  // namespace clients
