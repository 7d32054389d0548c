#pragma once

// One query of a run as two small captures and its record: what goes with a question to somebody
// else.

#include "analysis/block_evidence.hh"
#include "analysis/exchange.hh"
#include "captures/query_record.hh"

#include <filesystem>

namespace harness {

// Creates `folder` with <block>-client.pcapng and <block>-server.pcapng, which hold the query's
// packets and keys only, and query.json. Throws LabError where it exists already or cannot be
// written.
void save_query(const std::filesystem::path& folder, const analysis::BlockEvidence& evidence,
                const analysis::Exchange& exchange, const captures::QueryRecord& record);

}  // namespace harness
