#include "tests/e2e/run_results.hh"

#include "base/file_descriptor.hh"

#include <gtest/gtest.h>

#include <fstream>

namespace e2e {

namespace fs = std::filesystem;

nlohmann::json read_json(const fs::path& file) {
  return nlohmann::json::parse(base::read_file(file));
}

std::vector<captures::QueryRecord> read_records(const fs::path& run) {
  std::vector<captures::QueryRecord> records;
  std::ifstream lines(run / "queries.jsonl");
  for (std::string line; std::getline(lines, line);) {
    auto record = captures::parse_query_record(line);
    if (!record) {
      ADD_FAILURE() << record.error() << " in " << line;
      continue;
    }
    records.push_back(std::move(*record));
  }
  return records;
}

std::map<std::string, std::string> read_captures(const fs::path& run) {
  std::map<std::string, std::string> captures;
  for (const auto& entry : fs::directory_iterator(run / "captures"))
    captures[entry.path().filename()] = base::read_file(entry.path());
  return captures;
}

}  // namespace e2e
