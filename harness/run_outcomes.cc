#include "harness/run_outcomes.hh"

#include "base/errors.hh"

#include <nlohmann/json.hpp>

#include <array>
#include <format>
#include <utility>

namespace harness {
namespace {

using captures::Outcome;
using captures::QueryRecord;
using nlohmann::json;

Outcome parse_outcome(const std::string& word) {
  for (const Outcome outcome : std::array{Outcome::kAnswered, Outcome::kNoAnswer, Outcome::kFailed})
    if (word == captures::to_string(outcome)) return outcome;
  throw base::LabError(std::format("{} is no outcome", word));
}

QueryRecord parse_line(std::string_view line) {
  const json entry = json::parse(line);
  QueryRecord record;
  record.id = entry.at("id").get<std::string>();
  record.cell = entry.at("cell").get<std::string>();
  record.block = entry.at("block").get<std::uint64_t>();
  record.outcome = parse_outcome(entry.at("outcome").get<std::string>());
  if (const json& time = entry.at("time_ns"); !time.is_null())
    record.time = base::Nanoseconds(time.get<std::int64_t>());
  if (record.time.has_value() != (record.outcome == Outcome::kAnswered))
    throw base::LabError("an answer, and only an answer, has a time");
  record.findings = entry.at("findings").get<std::vector<std::string>>();
  return record;
}

}  // namespace

std::string outcome_line(const QueryRecord& record) {
  const nlohmann::ordered_json line{
      {"id", record.id},
      {"cell", record.cell},
      {"block", record.block},
      {"outcome", captures::to_string(record.outcome)},
      {"time_ns", record.time ? nlohmann::ordered_json(record.time->count()) : nullptr},
      {"findings", record.findings}};
  return line.dump() + '\n';
}

std::vector<QueryRecord> parse_outcomes(std::string_view text) {
  std::vector<QueryRecord> records;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    try {
      records.push_back(parse_line(text.substr(0, end)));
    } catch (const std::exception& error) {
      throw base::LabError(std::format("read outcomes, line {}: {}", number, error.what()));
    }
    text.remove_prefix(end + 1);
  }
  return records;
}

std::map<std::string, CellOutcomes> count_outcomes(std::span<const QueryRecord> outcomes) {
  std::map<std::string, CellOutcomes> cells;
  for (const QueryRecord& record : outcomes) {
    CellOutcomes& cell = cells[record.cell];
    const std::uint64_t unanswered = record.outcome == Outcome::kAnswered ? 0 : 1;
    ++cell.n;
    cell.unanswered += unanswered;
    cell.by_block[record.block] += unanswered;
  }
  return cells;
}

Plan plan_without_queries(Plan plan) {
  for (PlannedBlock& block : plan.blocks) block.queries.clear();
  return plan;
}

}  // namespace harness
