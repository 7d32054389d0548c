#include "tests/harness/hand_made_run.hh"

#include "base/file_descriptor.hh"
#include "harness/plan_json.hh"

#include <nlohmann/json.hpp>

namespace harness {

namespace fs = std::filesystem;
using nlohmann::json;

void write_run(const fs::path& folder, const HandMadeRun& run) {
  json blocks = json::array();
  for (const PlannedBlock& block : run.plan.blocks) {
    json reasons = json::array();
    if (const auto found = run.distrust.find(block.index); found != run.distrust.end())
      reasons.push_back(found->second);
    blocks.push_back({{"index", block.index}, {"reasons", reasons}});
  }
  const json manifest{
      {"complete", run.complete},
      {"seed", std::to_string(run.plan.seed)},
      {"kernel", {{"kind", "lab"}, {"release", "7.3.4"}, {"hz", 1000}, {"clock", "virtual"}}},
      {"versions", run.versions},
      {"reproduce", "labrun x.yaml"},
      {"blocks", blocks}};
  std::string lines;
  for (const captures::QueryRecord& record : run.records)
    lines += captures::to_json_line(record) + '\n';
  fs::create_directories(folder);
  base::write_file_atomically(folder / "plan.json", plan_to_json(run.plan));
  base::write_file_atomically(folder / "manifest.json", manifest.dump(1));
  base::write_file_atomically(folder / "queries.jsonl", lines);
}

}  // namespace harness
