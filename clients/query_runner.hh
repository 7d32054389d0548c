#pragma once

// Makes queries, one after the other, on one event loop. What lives from query to query (loop, TLS
// contexts, buffers) carries no protocol state: each query is cold.

#include "base/clock.hh"
#include "base/event_loop.hh"
#include "captures/query_record.hh"
#include "clients/client_socket.hh"
#include "clients/query_request.hh"
#include "clients/query_spec.hh"
#include "clients/tls_context_cache.hh"

#include <string>

namespace clients {

enum class KeepKeys { kNo, kYes };

class QueryRunner {
 public:
  // With `keys` kept, a record's `keylog` holds the NSS key log lines of its connections. An open
  // `live_keys` gets each line before its secret is used, so that who reads along can open every
  // packet. `clock` outlives the runner.
  QueryRunner(const base::Clock& clock, KeepKeys keys, base::FileDescriptor live_keys = {});
  QueryRunner(const QueryRunner&) = delete;
  QueryRunner& operator=(const QueryRunner&) = delete;

  // Makes the query and waits until it is answered, has failed, or its timeout has passed. Throws
  // LabError when this machine, not the experiment, prevents it: a setting that OpenSSL does not
  // know, a local port in use, no descriptors left.
  captures::QueryRecord run(const QuerySpec& spec, const QueryIdentity& identity = {});

 private:
  base::EventLoop loop_;
  void note_key(std::string_view line);

  base::FileDescriptor live_keys_;
  std::string keylog_;  // of the query under way
  TlsContextCache tls_contexts_;
  ReceiveBuffer buffer_;
};

}  // namespace clients
