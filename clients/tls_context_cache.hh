#pragma once

// TLS contexts, kept between queries because making one is slow (trust anchors above all). They
// keep no sessions.

#include "clients/query_spec.hh"
#include "transport/tls_context.hh"

#include <map>
#include <memory>
#include <string>

namespace clients {

class TlsContextCache {
 public:
  // `keylog` gets the key log lines of all connections, `tickets` their sessions; each may be null.
  TlsContextCache(transport::KeylogSink keylog, transport::TicketSink tickets)
      : keylog_(std::move(keylog)), tickets_(std::move(tickets)) {}

  // The context for this query, or null where the transport has no encryption. Lives as long as the
  // cache. Throws LabError for groups that OpenSSL does not know and trust anchors that cannot be
  // read.
  const transport::TlsContext* find(const QuerySpec& spec);

 private:
  transport::KeylogSink keylog_;
  transport::TicketSink tickets_;
  std::map<std::string, std::unique_ptr<transport::TlsContext>> contexts_;  // by their settings
};

}  // namespace clients
