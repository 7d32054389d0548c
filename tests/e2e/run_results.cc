#include "tests/e2e/run_results.hh"

#include "base/file_descriptor.hh"
#include "tests/paths.hh"
#include "tests/schema/json_schema.hh"

#include <gmock/gmock.h>
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

namespace {

std::string schema(const std::string& name) {
  return base::read_file(tests::source_folder() / "docs" / "schemas" / (name + ".schema.json"));
}

// How many lines there were; a file that is not there has none.
std::size_t expect_lines_fit_schema(const fs::path& file, const std::string& name) {
  const std::string text = schema(name);
  std::ifstream lines(file);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_THAT(tests::complaints(text, line), testing::IsEmpty()) << line;
  return count;
}

}  // namespace

void expect_file_fits_schema(const fs::path& folder, const std::string& name) {
  EXPECT_THAT(tests::complaints(schema(name), base::read_file(folder / (name + ".json"))),
              testing::IsEmpty())
      << name;
}

void expect_files_fit_schemas(const fs::path& run) {
  for (const std::string name : {"manifest", "plan", "summary", "findings"})
    expect_file_fits_schema(run, name);
  EXPECT_GT(expect_lines_fit_schema(run / "queries.jsonl", "query"), 0U);
  const bool gate = read_json(run / "manifest.json").contains("gate");
  EXPECT_EQ(expect_lines_fit_schema(run / "packets.jsonl", "packet") > 0, gate);
}

}  // namespace e2e
