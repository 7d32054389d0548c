#pragma once

// Which query of a run a record is about.

#include "captures/query_record.hh"
#include "clients/query_request.hh"

namespace clients {

// Fills in everything that is known before the query is made.
void identify(captures::QueryRecord& record, const QuerySpec& spec, const QueryIdentity& identity);

}  // namespace clients
