#pragma once

// Makes queries, one after the other, on one event loop. What lives from query to query (loop, TLS
// contexts, buffers) carries no protocol state but what was prepared for the next one.

#include "base/clock.hh"
#include "base/event_loop.hh"
#include "captures/query_record.hh"
#include "clients/client_socket.hh"
#include "clients/query_progress.hh"
#include "clients/query_request.hh"
#include "clients/query_spec.hh"
#include "clients/tls_context_cache.hh"
#include "transport/tls_context.hh"

#include <memory>
#include <string>
#include <string_view>

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
  ~QueryRunner();

  // Makes the query and waits until it is answered, has failed, or its timeout has passed. Throws
  // LabError when this machine, not the experiment, prevents it: a setting that OpenSSL does not
  // know, a local port in use, no descriptors left.
  captures::QueryRecord run(const QuerySpec& spec, const QueryIdentity& identity = {});
  // Makes what spec.connection says that run() finds: asks the same question on a connection of its
  // own, goes on until that has been silent for spec.settle, and keeps the connection or its ticket
  // for one run() with the same spec. Its record says how that went; where it is not "answered",
  // for instance because no ticket came, there is nothing to run() with. Not for cold queries.
  // Throws as run() does.
  captures::QueryRecord prepare(const QuerySpec& spec, const QueryIdentity& identity = {});

 private:
  // A connection with what it reports to and is about.
  struct Asking;

  void note_key(std::string_view line);
  std::unique_ptr<Asking> ask(const QuerySpec& spec, const QueryIdentity& identity,
                              const transport::Resumption* resumption,
                              QueryProgress::Afterwards afterwards);
  captures::QueryRecord finish(std::unique_ptr<Asking> asking);
  void wait(Asking& asking);
  void wait_for_silence(const QuerySpec& spec);
  captures::QueryRecord take_record(Asking& asking);

  base::EventLoop loop_;

  base::FileDescriptor live_keys_;
  std::string keylog_;                // of the query under way
  transport::Resumption resumption_;  // of the connection that was prepared
  TlsContextCache tls_contexts_;
  ReceiveBuffer buffer_;
  std::unique_ptr<Asking> open_;  // the connection that was prepared; last: it uses the others
};

}  // namespace clients
