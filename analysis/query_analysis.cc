#include "analysis/query_analysis.hh"

#include "analysis/accounting.hh"
#include "analysis/cause.hh"
#include "analysis/secret_store.hh"

#include <utility>

namespace analysis {

Exchange exchange_of(const BlockEvidence& evidence, std::size_t index,
                     const captures::QueryRecord& record, const SecretStore& secrets,
                     const PathTiming& timing) {
  Exchange exchange = make_exchange(evidence.queries.at(index), secrets);
  exchange.delay_from_client = timing.delay_to_server;
  exchange.delay_from_server = timing.delay_to_client;
  exchange.server_initial_rtt = timing.server_initial_rtt;
  if (record.settings.initial_rtt) exchange.client_initial_rtt = *record.settings.initial_rtt;
  return exchange;
}

SecretStore secrets_of(const BlockEvidence& evidence) {
  SecretStore secrets;
  secrets.add(evidence.client.keylog);
  secrets.add(evidence.server.keylog);
  return secrets;
}

void analyse_queries(const BlockEvidence& evidence, std::span<captures::QueryRecord> records,
                     const TimingOf& timing) {
  const SecretStore secrets = secrets_of(evidence);
  for (std::size_t index = 0; index < records.size(); ++index) {
    captures::QueryRecord& record = records[index];
    const Exchange exchange = exchange_of(evidence, index, record, secrets, timing(record));
    Explanation explanation = explain(exchange, find_causes(exchange), record);
    record.sum = std::move(explanation.sum);
    record.explanation = std::move(explanation.text);
    record.unexplained.reset();
    if (record.time) record.unexplained = explanation.unexplained;
  }
}

}  // namespace analysis
