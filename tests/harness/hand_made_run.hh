#pragma once

// Run directories that tests make by hand.

#include "captures/query_record.hh"
#include "harness/plan.hh"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace harness {

struct HandMadeRun {
  Plan plan;
  std::vector<captures::QueryRecord> records;  // in the order of the file
  bool complete = true;
  std::map<std::uint64_t, std::string> distrust{};  // reason by block; others are valid
  std::map<std::string, std::string> versions{{"labrun", "0.1.0 (abc)"}, {"ngtcp2", "1.22.1"}};
};

// plan.json, manifest.json and queries.jsonl below `folder`, which is created.
void write_run(const std::filesystem::path& folder, const HandMadeRun& run);

}  // namespace harness
