#pragma once

// TLS contexts, kept between queries because making one is slow (trust anchors above all). Sessions
// are never kept: every query is cold.

#include "clients/query_spec.hh"
#include "transport/tls_context.hh"

#include <map>
#include <memory>
#include <string>

namespace clients {

class TlsContextCache {
 public:
  // `keylog` gets the key log lines of all connections; it may be null.
  explicit TlsContextCache(transport::KeylogSink keylog) : keylog_(std::move(keylog)) {}

  // The context for this query, or null where the transport has no encryption. Lives as long as the
  // cache. Throws LabError for groups that OpenSSL does not know and trust anchors that cannot be
  // read.
  const transport::TlsContext* find(const QuerySpec& spec);

 private:
  transport::KeylogSink keylog_;
  std::map<std::string, std::unique_ptr<transport::TlsContext>> contexts_;  // by their settings
};

}  // namespace clients
