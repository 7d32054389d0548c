#include "harness/small_run.hh"

#include "analysis/query_analysis.hh"
#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "captures/block_capture.hh"
#include "harness/block_analysis.hh"
#include "harness/block_run.hh"
#include "harness/plan_json.hh"
#include "harness/query_extract.hh"
#include "harness/query_setting.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <format>
#include <fstream>
#include <map>
#include <set>
#include <vector>

namespace harness {
namespace {

namespace fs = std::filesystem;
using captures::QueryRecord;
using Json = nlohmann::ordered_json;

// Longer logs are cut to their end, which is where a fault shows.
constexpr std::size_t kMaxLogBytes = std::size_t{256} << 10U;

// Cells and arms that no query of `ids` belongs to are left out, and what counts them follows.
Plan reduced(Plan plan, const std::set<std::string>& ids) {
  std::map<std::uint32_t, std::uint32_t> cells;
  std::map<std::uint32_t, std::uint32_t> arms;
  const Plan whole = plan;
  plan.cells.clear();
  plan.arms.clear();
  plan.claims.clear();
  for (PlannedBlock& block : plan.blocks)
    std::erase_if(block.queries,
                  [&](const PlannedQuery& query) { return !ids.contains(query.id); });
  std::erase_if(plan.blocks, [](const PlannedBlock& block) { return block.queries.empty(); });
  for (PlannedBlock& block : plan.blocks)
    for (PlannedQuery& query : block.queries) {
      const PlannedCell& cell = whole.cells.at(query.cell);
      const auto arm = arms.emplace(cell.arm, plan.arms.size());
      if (arm.second) plan.arms.push_back(whole.arms.at(cell.arm));
      const auto entry = cells.emplace(query.cell, plan.cells.size());
      if (entry.second) {
        plan.cells.push_back(cell);
        plan.cells.back().arm = arm.first->second;
      }
      query.cell = entry.first->second;
    }
  return plan;
}

class SmallRun {
 public:
  SmallRun(const StoredRun& run, std::span<const std::string> ids, const PrivateWords& hidden,
           const fs::path& folder)
      : run_(run), ids_(ids.begin(), ids.end()), hidden_(hidden), folder_(folder) {}

  void write() {
    fs::create_directory(folder_ / "captures");
    std::string lines;
    RecordReader reader(run_);
    for (auto records = reader.next_block(); !records.empty(); records = reader.next_block())
      if (std::ranges::any_of(records, [&](const QueryRecord& one) { return wanted(one); }))
        lines += write_block(records);
    put("queries.jsonl", lines);
    put("plan.json", plan_to_json(reduced(run_.plan(), ids_)));
    put("scenario.yaml", base::read_file(run_.path() / "scenario.yaml"));
    write_manifest();
    write_fates();
    write_servers();
  }

 private:
  bool wanted(const QueryRecord& record) const { return ids_.contains(record.id); }

  void put(const fs::path& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    base::write_file_atomically(folder_ / name, hidden_.removed_from(text));
  }

  // Returns the records of the block's chosen queries.
  std::string write_block(std::vector<QueryRecord>& records) {
    const auto block = static_cast<std::uint32_t>(records.front().block);
    const analysis::BlockEvidence evidence =
        read_evidence(run_.plan(), run_.captures(), block, records);
    const analysis::SecretStore secrets = analysis::secrets_of(evidence);
    const analysis::SettingOf setting_of = settings_of(run_.plan(), run_.kernel());
    std::vector<QueryRecord> kept;
    std::vector<analysis::Exchange> exchanges;
    for (std::size_t index = 0; index < records.size(); ++index) {
      if (!wanted(records[index])) continue;
      exchanges.push_back(analysis::exchange_of(evidence, index, records[index], secrets,
                                                setting_of(records[index])));
      kept.push_back(records[index]);
      blocks_of_cell_[records[index].cell].insert(block);
    }
    std::vector<ExtractedQuery> queries;
    queries.reserve(kept.size());
    for (std::size_t index = 0; index < kept.size(); ++index)
      queries.push_back({kept[index], exchanges[index]});
    const captures::BlockCaptureFiles files = extract_queries(
        evidence, queries,
        std::format("{}, block {}, {} of its queries", run_.plan().scenario, block, kept.size()));
    const fs::path captures = folder_ / "captures";
    base::write_file_atomically(captures::block_capture_path(captures, block, "client"),
                                files.client);
    base::write_file_atomically(captures::block_capture_path(captures, block, "server"),
                                files.server);
    blocks_.insert(block);
    return to_lines(kept);
  }

  void write_manifest() const {
    Json manifest = Json::parse(base::read_file(run_.path() / "manifest.json"));
    Json& blocks = manifest.at("blocks");
    Json kept = Json::array();
    for (const Json& block : blocks)
      if (blocks_.contains(block.at("index").get<std::uint32_t>())) kept.push_back(block);
    blocks = std::move(kept);
    manifest["blocks_planned"] = blocks_.size();
    manifest["complete"] = true;
    manifest["reproduce"] = "./reproduce.sh";
    put("manifest.json", manifest.dump(1) + "\n");
  }

  void write_fates() const {
    std::ifstream stream(run_.path() / kPacketFatesFile);
    std::string lines;
    for (std::string line; std::getline(stream, line);)
      if (ids_.contains(Json::parse(line).at("query").get<std::string>())) lines += line + "\n";
    if (!lines.empty()) put(kPacketFatesFile, lines);
  }

  // By the arm's number in the whole run, as the names of the logs have it.
  void write_servers() const {
    for (const auto& [name, blocks] : blocks_of_cell_) {
      const auto cell = std::ranges::find(run_.plan().cells, name, &PlannedCell::name);
      const std::string arm = std::to_string(cell->arm);
      const fs::path files = run_.path() / "servers" / arm;
      if (fs::exists(files))
        for (const auto& entry : fs::directory_iterator(files))
          put(fs::path("servers") / arm / entry.path().filename(), base::read_file(entry.path()));
      for (const auto& entry : fs::directory_iterator(run_.path() / "logs"))
        for (const std::uint32_t block : blocks) add_log(entry.path(), block, arm);
    }
  }

  // "0-nginx-17.log"; the kernel's console and labquery's log belong to no arm.
  void add_log(const fs::path& file, std::uint32_t block, const std::string& arm) const {
    const std::string name = file.filename().string();
    if (!name.starts_with(std::format("{}-", block)) ||
        !name.ends_with(std::format("-{}.log", arm)))
      return;
    std::string text = base::read_file(file);
    if (text.empty()) return;
    if (text.size() > kMaxLogBytes)
      text = std::format("(its last {} bytes)\n", kMaxLogBytes) +
             text.substr(text.size() - kMaxLogBytes);
    put(fs::path("logs") / name, text);
  }

  const StoredRun& run_;
  std::set<std::string> ids_;
  const PrivateWords& hidden_;
  fs::path folder_;
  std::set<std::uint32_t> blocks_;
  std::map<std::string, std::set<std::uint32_t>> blocks_of_cell_;
};

}  // namespace

void write_small_run(const StoredRun& run, std::span<const std::string> ids,
                     const PrivateWords& hidden, const fs::path& folder) {
  SmallRun(run, ids, hidden, folder).write();
}

}  // namespace harness
