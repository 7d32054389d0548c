#include "harness/bundled_query.hh"

#include "analysis/cause.hh"
#include "analysis/query_analysis.hh"
#include "analysis/wording.hh"
#include "harness/block_analysis.hh"
#include "harness/ladder.hh"
#include "harness/query_setting.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

std::string fates_of(const captures::QueryRecord& record, const analysis::Exchange& exchange) {
  std::string lines;
  const std::int64_t start = exchange.events.empty() ? 0 : exchange.events.front().sent_ns;
  for (const analysis::PacketEvent& event : exchange.events) {
    const std::string_view from = to_string(event.from);
    Json line{{"query", record.id},
              {"from", from},
              {"ordinal", event.ordinal},
              {"meaning", describe_packet(event.packet, analysis::Details::kShort)},
              {"sent_ns", event.sent_ns - start},
              {"arrived_ns", nullptr},
              {"lost_by", nullptr}};
    if (event.arrived_ns) line["arrived_ns"] = *event.arrived_ns - start;
    for (const captures::LostPacket& lost : record.lost)
      if (lost.from == from && lost.ordinal == event.ordinal) line["lost_by"] = lost.by;
    lines += line.dump() + '\n';
  }
  return lines;
}

void read_block(const StoredRun& run, std::vector<captures::QueryRecord>& records,
                std::vector<BundledQuery>& queries) {
  const auto block = static_cast<std::uint32_t>(records.front().block);
  analyse_block(run.plan(), run.kernel(), run.captures(), block, records);
  const analysis::BlockEvidence evidence =
      read_evidence(run.plan(), run.captures(), block, records);
  const analysis::SecretStore secrets = analysis::secrets_of(evidence);
  const analysis::SettingOf setting_of = settings_of(run.plan(), run.kernel());
  for (std::size_t index = 0; index < records.size(); ++index) {
    const captures::QueryRecord& record = records[index];
    const analysis::QuerySetting setting = setting_of(record);
    const analysis::Exchange exchange =
        analysis::exchange_of(evidence, index, record, secrets, setting);
    const auto causes = analysis::find_causes(exchange);
    const auto explanation = analysis::explain(exchange, causes, record);
    auto findings = analysis::find_all(exchange, causes,
                                       {.record = &record, .retry_always = setting.retry_always});
    BundledQuery query{.record = record,
                       .ladder = render_ladder({record, exchange, causes, explanation, findings},
                                               analysis::Details::kShort, Colors::kOff),
                       .fates = fates_of(record, exchange),
                       .client_qlog = {},
                       .server_qlog = {},
                       .findings = {}};
    query.findings = std::move(findings);
    queries.push_back(std::move(query));
  }
}

}  // namespace

std::vector<BundledQuery> read_bundled(const StoredRun& run) {
  std::vector<BundledQuery> queries;
  RecordReader reader(run);
  for (auto records = reader.next_block(); !records.empty(); records = reader.next_block())
    read_block(run, records, queries);
  return queries;
}

}  // namespace harness
