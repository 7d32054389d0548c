#include "harness/stored_run.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "harness/gate_report.hh"
#include "harness/plan_json.hh"
#include "harness/scenario_error.hh"
#include "harness/server_end.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <format>
#include <utility>

namespace harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string describe_kernel(const json& kernel) {
  if (kernel.at("kind") == "host")
    return std::format("host, Linux {}, real time", kernel.at("release").get<std::string>());
  return std::format("lab, Linux {}, {} Hz, virtual time", kernel.at("release").get<std::string>(),
                     kernel.at("hz").get<int>());
}

Overrides parse_overrides(const json& entry) {
  Overrides overrides;
  entry.at("set").get_to(overrides.assignments);
  if (!entry.at("blocks").is_null()) overrides.blocks = entry.at("blocks").get<std::uint32_t>();
  return overrides;
}

}  // namespace

StoredRun::StoredRun(const fs::path& directory) : path_(directory) {
  if (!fs::exists(path_ / "manifest.json") || !fs::exists(path_ / "plan.json"))
    throw BadInput(std::format(
        "labrun: {} is no run directory: it has no manifest.json and plan.json", path_.string()));
  plan_ = plan_from_json(base::read_file(path_ / "plan.json"));
  base::with_context(std::format("read {}", (path_ / "manifest.json").string()), [&] {
    try {
      read_manifest();
    } catch (const json::exception& error) {
      throw base::LabError(error.what());
    }
  });
}

void StoredRun::read_manifest() {
  const json manifest = json::parse(base::read_file(path_ / "manifest.json"));
  complete_ = manifest.at("complete").get<bool>();
  kernel_ = manifest.at("kernel").at("kind") == "host" ? KernelKind::kHost : KernelKind::kLab;
  for (const json& block : manifest.at("blocks")) {
    const json& reasons = block.at("reasons");
    if (reasons.empty()) continue;
    const auto index = block.at("index").get<std::uint64_t>();
    invalid_.insert(index);
    facts_.validity += std::format("{}block {}: {}", facts_.validity.empty() ? "" : "\n", index,
                                   reasons.front().get<std::string>());
  }
  facts_.seed = manifest.at("seed").get<std::string>();
  facts_.kernel = describe_kernel(manifest.at("kernel"));
  versions_ = manifest.at("versions").get<std::map<std::string, std::string>>();
  for (const auto& [name, version] : versions_)
    facts_.versions += std::format("{}{} {}", facts_.versions.empty() ? "" : ", ", name, version);
  if (manifest.contains("gate")) facts_.gate = gate_text(manifest.at("gate"));
  if (manifest.contains("server_ends"))
    facts_.server_ends = server_ends_text(manifest.at("server_ends"));
  facts_.reproduce = manifest.at("reproduce").get<std::string>();
  if (manifest.contains("overrides")) overrides_ = parse_overrides(manifest.at("overrides"));
  facts_.run_directory = shown_path(fs::absolute(path_));
}

RecordReader::RecordReader(const StoredRun& run)
    : run_(run), file_(run.path() / "queries.jsonl"), stream_(file_) {
  // A run that was stopped before its first block has none.
  if (!stream_ && run.complete())
    throw base::LabError(std::format("read {}: it cannot be opened", file_.string()));
}

std::vector<captures::QueryRecord> RecordReader::next_block() {
  std::vector<captures::QueryRecord> records;
  if (!ahead_) ahead_ = next_record();
  while (ahead_ && (records.empty() || records.front().block == ahead_->block)) {
    records.push_back(std::move(*ahead_));
    ahead_ = next_record();
  }
  if (records.empty()) {
    check_end();
    return records;
  }
  ++blocks_;
  const auto block =
      std::ranges::find(run_.plan().blocks, records.front().block, &PlannedBlock::index);
  if (block != run_.plan().blocks.end() && block->queries.size() == records.size()) return records;
  // The last block of a run that was stopped while it was being written.
  if (!run_.complete() && !ahead_) return {};
  throw base::LabError(std::format("read {}: block {} has {} records, not as many as planned",
                                   file_.string(), records.front().block, records.size()));
}

void RecordReader::check_end() const {
  const std::size_t planned = run_.plan().blocks.size();
  if (run_.complete() && blocks_ != planned)
    throw base::LabError(
        std::format("read {}: it has {} of the run's {} blocks", file_.string(), blocks_, planned));
}

std::optional<captures::QueryRecord> RecordReader::next_record() {
  std::string text;
  if (!std::getline(stream_, text)) return std::nullopt;
  ++line_;
  const bool cut = stream_.eof();  // the last line has no end
  if (cut && !run_.complete()) return std::nullopt;
  auto record = captures::parse_query_record(text);
  if (!record)
    throw base::LabError(std::format("read {} line {}: {}", file_.string(), line_, record.error()));
  return std::move(*record);
}

}  // namespace harness
