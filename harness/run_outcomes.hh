#pragma once

// What every query of a run came to, in a line each: enough to count again, without packets and
// settings.

#include "captures/query_record.hh"
#include "harness/plan.hh"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

// One line of JSON with its line feed: id, cell, block, outcome, time_ns, findings.
std::string outcome_line(const captures::QueryRecord& record);
// The lines of a file of them, as records with these fields only. Throws LabError that names the
// line.
std::vector<captures::QueryRecord> parse_outcomes(std::string_view text);

// Queries of one cell that did not come to an answer, by block.
struct CellOutcomes {
  std::uint64_t n = 0;
  std::uint64_t unanswered = 0;                     // no answer in time, or failed
  std::map<std::uint64_t, std::uint64_t> by_block;  // of blocks with a query of the cell
};
std::map<std::string, CellOutcomes> count_outcomes(std::span<const captures::QueryRecord> outcomes);

// `plan` without its queries, which its figures do not need.
Plan plan_without_queries(Plan plan);

}  // namespace harness
