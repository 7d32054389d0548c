#pragma once

// Explains the queries of a block and writes what it finds into their records.

#include "analysis/block_evidence.hh"
#include "analysis/exchange.hh"
#include "analysis/finding_collection.hh"
#include "analysis/secret_store.hh"
#include "base/clock.hh"
#include "captures/query_record.hh"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

namespace analysis {

// What is known of a query's path and server without looking at its packets.
struct QuerySetting {
  base::Nanoseconds delay_to_server{0};  // shortest
  base::Nanoseconds delay_to_client{0};
  base::Nanoseconds server_initial_rtt{333'000'000};
  std::optional<base::Nanoseconds> client_timeout{};
  bool work_is_free = false;  // in virtual time
  bool retry_always = false;  // what the server was told
};
using SettingOf = std::function<QuerySetting(const captures::QueryRecord&)>;

// The decoded packets of query `index` of the block.
Exchange exchange_of(const BlockEvidence& evidence, std::size_t index,
                     const captures::QueryRecord& record, const SecretStore& secrets,
                     const QuerySetting& setting);
// All keys that the block's captures bring.
SecretStore secrets_of(const BlockEvidence& evidence);

// Sets `sum`, `unexplained`, `explanation` and `findings` of each record, and adds what it found to
// `collection`.
void analyse_queries(const BlockEvidence& evidence, std::span<captures::QueryRecord> records,
                     const SettingOf& setting_of, FindingCollection& collection);

}  // namespace analysis
