#include "analysis/query_analysis.hh"

#include "analysis/accounting.hh"
#include "analysis/cause.hh"
#include "analysis/finding.hh"

#include <algorithm>
#include <format>
#include <utility>

namespace analysis {
namespace {

// The causes of a packet are looked for among all before it; no lookup of DNS comes near this.
constexpr std::size_t kMostEvents = 3000;

// Another client ends when it has printed and closed everything, and how long that takes is its own
// affair; the captures know when its answer was there. An answer later than the timeout is none:
// such clients do not keep to it as labquery does.
void observe_time(const Exchange& exchange, const QuerySetting& setting,
                  captures::QueryRecord& record) {
  if (!record.client || !record.time) return;
  record.time = observed_time(exchange, *record.time).value_or(*record.time);
  if (!setting.client_timeout || *record.time <= *setting.client_timeout) return;
  record.outcome = captures::Outcome::kNoAnswer;
  record.error = std::format("{} had its answer after {} and so after the timeout",
                             record.client->program, *record.time);
  record.time.reset();
}

void analyse(const Exchange& exchange, const QuerySetting& setting, captures::QueryRecord& record,
             FindingCollection& collection) {
  if (exchange.events.size() > kMostEvents) {
    record.explanation = std::format("{} packets: too many to explain", exchange.events.size());
    record.unexplained = record.time;
    collection.add_query(record, {}, false);
    return;
  }
  const std::vector<Cause> causes = find_causes(exchange);
  Explanation explanation = explain(exchange, causes, record);
  record.sum = std::move(explanation.sum);
  record.explanation = std::move(explanation.text);
  if (record.time) record.unexplained = explanation.unexplained;
  const std::vector<Finding> findings =
      find_all(exchange, causes, {.record = &record, .retry_always = setting.retry_always});
  for (const Finding& finding : findings)
    if (!std::ranges::contains(record.findings, finding.id))
      record.findings.emplace_back(finding.id);
  collection.add_query(record, findings, explanation.complete);
}

}  // namespace

Exchange exchange_of(const BlockEvidence& evidence, std::size_t index,
                     const captures::QueryRecord& record, const SecretStore& secrets,
                     const QuerySetting& setting) {
  Exchange exchange = make_exchange(evidence.queries.at(index), secrets);
  exchange.delay_from_client = setting.delay_to_server;
  exchange.delay_from_server = setting.delay_to_client;
  exchange.server_initial_rtt = setting.server_initial_rtt;
  exchange.work_is_free = setting.work_is_free;
  exchange.client_timeout = setting.client_timeout;
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
                     const SettingOf& setting_of, FindingCollection& collection) {
  const SecretStore secrets = secrets_of(evidence);
  for (std::size_t index = 0; index < records.size(); ++index) {
    captures::QueryRecord& record = records[index];
    record.sum.clear();
    record.findings.clear();
    record.unexplained.reset();
    const QuerySetting setting = setting_of(record);
    const Exchange exchange = exchange_of(evidence, index, record, secrets, setting);
    observe_time(exchange, setting, record);
    analyse(exchange, setting, record, collection);
  }
}

}  // namespace analysis
