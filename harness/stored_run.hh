#pragma once

// A run directory that is read again.

#include "captures/query_record.hh"
#include "harness/command_line.hh"
#include "harness/plan.hh"
#include "harness/table.hh"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace harness {

class StoredRun {
 public:
  // Throws BadInput where `directory` is no run directory, LabError where a file of it is
  // malformed.
  explicit StoredRun(const std::filesystem::path& directory);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path captures() const { return path_ / "captures"; }
  const Plan& plan() const { return plan_; }
  KernelKind kernel() const { return kernel_; }
  bool complete() const { return complete_; }
  bool is_valid_block(std::uint64_t block) const { return !invalid_.contains(block); }
  bool valid() const { return invalid_.empty(); }
  const RunFacts& facts() const { return facts_; }
  const std::map<std::string, std::string>& versions() const { return versions_; }
  // What the command line changed in scenario.yaml; empty where the manifest does not say.
  const std::optional<Overrides>& overrides() const { return overrides_; }

 private:
  void read_manifest();

  std::filesystem::path path_;
  Plan plan_;
  KernelKind kernel_ = KernelKind::kLab;
  bool complete_ = false;
  std::set<std::uint64_t> invalid_;
  RunFacts facts_;
  std::map<std::string, std::string> versions_;
  std::optional<Overrides> overrides_;
};

// queries.jsonl, a block at a time, in the order of the plan.
class RecordReader {
 public:
  // `run` must outlive the reader.
  explicit RecordReader(const StoredRun& run);

  // The records of the next block; empty at the end. Throws LabError that names the line, or where
  // a complete run lacks records. What a stopped run did not finish writing is left out.
  std::vector<captures::QueryRecord> next_block();

 private:
  std::optional<captures::QueryRecord> next_record();
  void check_end() const;

  const StoredRun& run_;
  std::filesystem::path file_;
  std::ifstream stream_;
  std::size_t line_ = 0;
  std::size_t blocks_ = 0;
  std::optional<captures::QueryRecord> ahead_;
};

}  // namespace harness
