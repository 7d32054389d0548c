#pragma once

// Explains the queries of a block and writes what it finds into their records.

#include "analysis/block_evidence.hh"
#include "analysis/exchange.hh"
#include "base/clock.hh"
#include "captures/query_record.hh"

#include <cstddef>
#include <functional>
#include <span>

namespace analysis {

// What the plan decided about a query's path and endpoint, as far as its time depends on it.
struct PathTiming {
  base::Nanoseconds delay_to_server{0};  // shortest
  base::Nanoseconds delay_to_client{0};
  base::Nanoseconds server_initial_rtt{333'000'000};
};
using TimingOf = std::function<PathTiming(const captures::QueryRecord&)>;

// The decoded packets of query `index` of the block.
Exchange exchange_of(const BlockEvidence& evidence, std::size_t index,
                     const captures::QueryRecord& record, const SecretStore& secrets,
                     const PathTiming& timing);
// All keys that the block's captures bring.
SecretStore secrets_of(const BlockEvidence& evidence);

// Sets `sum`, `unexplained`, `explanation` and `findings` of each record.
void analyse_queries(const BlockEvidence& evidence, std::span<captures::QueryRecord> records,
                     const TimingOf& timing);

}  // namespace analysis
