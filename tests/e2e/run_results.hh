#pragma once

// A finished run as its directory shows it.

#include "captures/query_record.hh"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace e2e {

nlohmann::json read_json(const std::filesystem::path& file);
std::vector<captures::QueryRecord> read_records(const std::filesystem::path& run);
// Contents of every capture, by file name.
std::map<std::string, std::string> read_captures(const std::filesystem::path& run);
// Holds <name>.json in `folder` to its schema.
void expect_file_fits_schema(const std::filesystem::path& folder, const std::string& name);
// Holds manifest.json, plan.json, summary.json and findings.json, and every line of queries.jsonl
// and of a gate's packets.jsonl, to docs/schemas.
void expect_files_fit_schemas(const std::filesystem::path& run);

}  // namespace e2e
