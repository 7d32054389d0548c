#pragma once

// Names and contents of a bundle's files that are written by one and read by the other command.

#include "harness/archive.hh"
#include "harness/bundled_query.hh"
#include "harness/stored_run.hh"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

inline constexpr const char* kSumsFile = "SHA256SUMS";
inline constexpr const char* kFatesFile = "fates.jsonl";
inline constexpr const char* kReproductionFile = "reproduce.yaml";
inline constexpr const char* kOutcomesFile = "run/outcomes.jsonl";
inline constexpr const char* kWholePlanFile = "run/plan.json";  // without its queries
inline constexpr const char* kWholeSummaryFile = "run/summary.json";

std::string query_file(std::size_t index);                       // "queries/1.txt"
std::string qlog_file(std::size_t index, std::string_view end);  // "qlog/1-client.sqlog"

// Lines of queries.jsonl.
std::string record_lines(const std::vector<BundledQuery>& queries);

// As sha256sum(1) prints and checks them, of all files but the sums themselves.
std::string sums_of(const ArchiveFiles& files);

// A shell script that builds labrun in a folder of its sources and runs the scenario of the one
// query, or the whole one where there is none.
std::string reproduce_script(const StoredRun& run, bool one_query);

}  // namespace harness
