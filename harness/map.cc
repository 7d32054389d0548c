#include "harness/map.hh"

#include "base/errors.hh"
#include "harness/loss_map.hh"
#include "harness/trial_store.hh"
#include "harness/walk.hh"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <utility>

namespace harness {
namespace {

// One task for each cell: the lossless exchange, then each packet late.
std::vector<TrialTask> delay_tasks(const Plan& plan, base::Nanoseconds late) {
  std::vector<TrialTask> tasks;
  for (TrialTask& task : walk_tasks(plan, 0)) {
    task.job.kind = TrialJob::Kind::kDelays;
    task.job.late = late;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

// Of one cell, all shares together.
std::vector<analysis::Trial> walked_trials(const TrialCampaign& campaign, std::size_t cell,
                                           std::size_t shares) {
  std::vector<analysis::Trial> trials;
  for (std::size_t share = 0; share < shares; ++share)
    std::ranges::move(read_trials(campaign.results(cell * shares + share) / kTrialsFile),
                      std::back_inserter(trials));
  return trials;
}

}  // namespace

int map_losses(const CommandLine& command, const Image& image, const Plan& plan,
               const std::string& scenario_text) {
  Walk walk(command, image, plan, scenario_text, "map");
  const std::uint32_t max_drops = command.late ? 0 : command.max_drops.value_or(kDefaultDrops);
  if (const auto stopped =
          walk.run(command.late ? delay_tasks(plan, *command.late) : walk_tasks(plan, max_drops)))
    return *stopped;
  std::vector<LossMap> maps;
  if (command.late) {
    for (std::size_t cell = 0; cell < plan.cells.size(); ++cell)
      maps.push_back(map_of_delays(plan.cells[cell], plan.arms[plan.cells[cell].arm], *command.late,
                                   read_trials(walk.campaign().results(cell) / kTrialsFile)));
  } else {
    const std::vector<ExactCell> cells = collect_cells(plan, walk.campaign(), max_drops);
    for (std::size_t number = 0; number < cells.size(); ++number)
      maps.push_back(
          map_of(cells[number], walked_trials(walk.campaign(), number, walk_shares(max_drops))));
  }
  const ExactFacts facts = walk.facts(max_drops, "map.json");
  walk.finish("map.json", maps_to_json(maps, facts));
  for (const LossMap& map : maps) std::cout << render_map(map, table_colors(command.color));
  std::cout << describe(facts);
  return base::kExitSuccess;
}

}  // namespace harness
