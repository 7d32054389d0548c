#include "harness/explain.hh"

#include "analysis/query_analysis.hh"
#include "base/errors.hh"
#include "harness/block_analysis.hh"
#include "harness/ladder.hh"
#include "harness/query_extract.hh"
#include "harness/query_setting.hh"
#include "harness/scenario_error.hh"
#include "harness/stored_run.hh"

#include <algorithm>
#include <filesystem>
#include <format>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace harness {
namespace {

struct Wanted {
  std::string cell;  // empty: any
  enum class Rank { kId, kWorst, kMedian } rank = Rank::kId;
};

Wanted understand(const std::string& query) {
  const std::size_t colon = query.rfind(':');
  const std::string last = colon == std::string::npos ? query : query.substr(colon + 1);
  Wanted wanted{.cell = colon == std::string::npos ? "" : query.substr(0, colon)};
  if (last == "worst") wanted.rank = Wanted::Rank::kWorst;
  if (last == "median") wanted.rank = Wanted::Rank::kMedian;
  return wanted;
}

struct Candidate {
  std::string id;
  std::optional<base::Nanoseconds> time;
};

// A query without an answer is slower than any other.
bool faster(const Candidate& left, const Candidate& right) {
  if (!left.time || !right.time) return left.time.has_value() && !right.time.has_value();
  return *left.time < *right.time;
}

// The id that was meant by "worst", "dot:median" and the like.
std::string choose(const StoredRun& run, const std::string& query) {
  const Wanted wanted = understand(query);
  if (wanted.rank == Wanted::Rank::kId) return query;
  std::vector<Candidate> candidates;
  RecordReader reader(run);
  for (auto records = reader.next_block(); !records.empty(); records = reader.next_block())
    for (const captures::QueryRecord& record : records)
      if (wanted.cell.empty() || record.cell == wanted.cell)
        candidates.push_back({record.id, record.time});
  if (candidates.empty()) return query;
  std::ranges::stable_sort(candidates, faster);
  return wanted.rank == Wanted::Rank::kWorst ? candidates.back().id
                                             : candidates[(candidates.size() - 1) / 2].id;
}

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
  const std::string id = choose(run, command.query);
  RecordReader reader(run);
  for (auto records = reader.next_block(); !records.empty(); records = reader.next_block()) {
    const auto found = std::ranges::find(records, id, &captures::QueryRecord::id);
    if (found != records.end())
      return print(run, records, static_cast<std::size_t>(found - records.begin()), command);
  }
  std::string cells;
  for (const PlannedCell& cell : run.plan().cells)
    cells += std::format("{}{}", cells.empty() ? "" : ", ", cell.name);
  throw BadInput(
      std::format("labrun: {} has no query \"{}\"; its cells are {}, its queries {}:0 and "
                  "so on, or worst, median, {}:worst",
                  run.path().string(), command.query, cells, run.plan().cells.front().name,
                  run.plan().cells.front().name));
}

}  // namespace harness
