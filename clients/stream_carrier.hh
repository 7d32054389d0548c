#pragma once

// How a DNS message travels on a byte stream, encrypted or not: behind its length, or as an HTTP/2
// request.

#include "clients/dns_query.hh"
#include "clients/query_progress.hh"
#include "clients/query_spec.hh"
#include "transport/bytes.hh"

#include <memory>

namespace clients {

// One query on one stream. Reports first byte, answer and failures to the query's progress.
class StreamCarrier {
 public:
  virtual ~StreamCarrier() = default;
  // Application data from the server.
  virtual void receive(transport::ByteSpan bytes) = 0;
  // Everything to be sent now; the request is in it from the start.
  virtual transport::Bytes take_output() = 0;
  // Asks the same question once more.
  virtual void ask_again() = 0;
  // The protocol's own farewell goes into the output.
  virtual void close() {}
};

// DoH2 for Transport::kDoh2, else Do53/TCP and DoT. `progress` outlives the carrier.
std::unique_ptr<StreamCarrier> make_stream_carrier(const QuerySpec& spec, QueryProgress& progress);

}  // namespace clients
