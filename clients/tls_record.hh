#pragma once

// What a handshake agreed on, as records have it.

#include "captures/query_record.hh"
#include "transport/tls_context.hh"

namespace clients {

void record_tls_facts(const transport::TlsFacts& facts, captures::QueryRecord& record);

}  // namespace clients
