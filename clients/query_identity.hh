#pragma once

// What a record has before anything is asked: which query it is, and the client's settings.

#include "captures/query_record.hh"
#include "clients/query_request.hh"

namespace clients {

// Fills in everything that is known before the query is made.
void identify(captures::QueryRecord& record, const QuerySpec& spec, const QueryIdentity& identity);

}  // namespace clients
