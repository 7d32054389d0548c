#include "harness/explain.hh"

#include "analysis/query_analysis.hh"
#include "base/errors.hh"
#include "harness/block_analysis.hh"
#include "harness/ladder.hh"
#include "harness/query_choice.hh"
#include "harness/query_extract.hh"
#include "harness/query_setting.hh"
#include "harness/scenario_error.hh"
#include "harness/stored_run.hh"

#include <algorithm>
#include <filesystem>
#include <format>
#include <iostream>
#include <string>
#include <vector>

namespace harness {
namespace {

int print(const StoredRun& run, std::vector<captures::QueryRecord>& records, std::size_t index,
          const CommandLine& command) {
  const auto block = static_cast<std::uint32_t>(records[index].block);
  const analysis::BlockEvidence evidence =
      read_evidence(run.plan(), run.captures(), block, records);
  const captures::QueryRecord& record = records[index];
  const analysis::QuerySetting setting = settings_of(run.plan(), run.kernel())(record);
  const analysis::Exchange exchange =
      analysis::exchange_of(evidence, index, record, analysis::secrets_of(evidence), setting);
  const auto causes = analysis::find_causes(exchange);
  const auto explanation = analysis::explain(exchange, causes, record);
  const auto findings = analysis::find_all(
      exchange, causes, {.record = &record, .retry_always = setting.retry_always});
  std::cout << render_ladder(
      {record, exchange, causes, explanation, findings},
      command.all_details ? analysis::Details::kAll : analysis::Details::kShort,
      table_colors(command.color));
  if (command.save) save_query(*command.save, evidence, exchange, record);
  return base::kExitSuccess;
}

}  // namespace

int explain(const CommandLine& command) {
  const StoredRun run(command.target);
  if (command.save && std::filesystem::exists(*command.save))
    throw BadInput(std::format("labrun: --save {}: it exists already", command.save->string()));
  const std::string id = QueryChoice(run).one(command.query);
  RecordReader reader(run);
  for (auto records = reader.next_block(); !records.empty(); records = reader.next_block()) {
    const auto found = std::ranges::find(records, id, &captures::QueryRecord::id);
    if (found != records.end())
      return print(run, records, static_cast<std::size_t>(found - records.begin()), command);
  }
  throw base::LabError(std::format("read query {} again: it is gone", id));
}

}  // namespace harness
