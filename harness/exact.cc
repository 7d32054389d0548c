#include "harness/exact.hh"

#include "base/errors.hh"
#include "harness/exact_cell.hh"
#include "harness/exact_json.hh"
#include "harness/exact_text.hh"
#include "harness/plan_differences.hh"
#include "harness/scenario_error.hh"
#include "harness/stored_run.hh"
#include "harness/walk.hh"

#include <algorithm>
#include <format>
#include <iostream>
#include <map>
#include <optional>

namespace harness {
namespace {

// Opened before the walk, which may take long. Says what differs from the scenario, besides the
// number of queries.
StoredRun open_sampled(const std::filesystem::path& directory, const Plan& walked) {
  StoredRun run(directory);
  if (run.kernel() == KernelKind::kHost)
    throw BadInput(
        std::format("labrun: --against {}: that run was in real time", directory.string()));
  for (const std::string& difference : plan_differences(walked, run.plan()))
    std::cerr << std::format("labrun: the run in {} differs from the scenario: {}\n",
                             directory.string(), difference);
  return run;
}

std::vector<FittedCell> fit(const StoredRun& run, const std::vector<ExactCell>& cells) {
  std::map<std::string, std::vector<std::optional<base::Nanoseconds>>> samples;
  RecordReader reader(run);
  for (auto records = reader.next_block(); !records.empty(); records = reader.next_block())
    for (const captures::QueryRecord& record : records)
      if (run.is_valid_block(record.block)) samples[record.cell].push_back(record.time);
  std::vector<FittedCell> fitted;
  for (const ExactCell& cell : cells) {
    const auto found = samples.find(cell.planned.name);
    if (found == samples.end()) continue;
    fitted.push_back(
        {.name = cell.planned.name,
         .samples = found->second.size(),
         .fit = analysis::goodness_of_fit(cell.distribution(cell.rates), found->second)});
  }
  if (fitted.empty())
    throw BadInput(
        std::format("labrun: --against {}: no valid block of it has a cell of this scenario",
                    run.path().string()));
  return fitted;
}

int report(const CommandLine& command, const std::vector<ExactCell>& cells,
           const std::vector<FittedCell>& fitted, const ExactFacts& facts) {
  const Colors colors = table_colors(command.color);
  std::cout << render_exact(cells, colors);
  if (!fitted.empty()) std::cout << render_fit(fitted, colors) << '\n';
  const std::string faults = render_faults(cells);
  std::cout << faults << (faults.empty() ? "" : "\n");
  std::cout << describe(facts);
  const bool agree =
      std::ranges::all_of(fitted, [](const FittedCell& cell) { return cell.fit.agrees(); });
  return agree ? base::kExitSuccess : base::kExitExpectationFailed;
}

}  // namespace

int exact(const CommandLine& command, const Image& image, const Plan& plan,
          const std::string& scenario_text) {
  const std::uint32_t max_drops = command.max_drops.value_or(kDefaultDrops);
  std::optional<StoredRun> sampled;
  if (command.against) sampled.emplace(open_sampled(*command.against, plan));
  Walk walk(command, image, plan, scenario_text, "exact");
  if (const auto stopped = walk.run(walk_tasks(plan, max_drops))) return *stopped;
  const std::vector<ExactCell> cells = collect_cells(plan, walk.campaign(), max_drops);
  const std::vector<FittedCell> fitted = sampled ? fit(*sampled, cells) : std::vector<FittedCell>();
  const ExactFacts facts = walk.facts(max_drops, "exact.json");
  walk.finish("exact.json", exact_to_json(cells, fitted, facts));
  return report(command, cells, fitted, facts);
}

}  // namespace harness
