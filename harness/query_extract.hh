#pragma once

// Queries of a run as two small captures and their records: what goes with a question to somebody
// else.

#include "analysis/block_evidence.hh"
#include "analysis/exchange.hh"
#include "captures/block_capture.hh"
#include "captures/query_record.hh"

#include <filesystem>
#include <span>
#include <string>

namespace harness {

// A query of a block, with its decoded packets; views what the caller owns.
struct ExtractedQuery {
  const captures::QueryRecord& record;
  const analysis::Exchange& exchange;
};

// Captures of both ends with the packets of these queries of one block and their keys, and nothing
// else. Throws LabError where two queries used the same flow.
captures::BlockCaptureFiles extract_queries(const analysis::BlockEvidence& evidence,
                                            std::span<const ExtractedQuery> queries,
                                            const std::string& comment);

// Creates `folder` with <block>-client.pcapng and <block>-server.pcapng, which hold the query's
// packets and keys only, and query.json. Throws LabError where it exists already or cannot be
// written.
void save_query(const std::filesystem::path& folder, const analysis::BlockEvidence& evidence,
                const analysis::Exchange& exchange, const captures::QueryRecord& record);

}  // namespace harness
