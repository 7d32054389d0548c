#include "harness/exact.hh"

#include "base/errors.hh"
#include "base/version.hh"
#include "harness/exact_cell.hh"
#include "harness/exact_json.hh"
#include "harness/exact_text.hh"
#include "harness/manifest.hh"
#include "harness/scenario_error.hh"
#include "harness/stored_run.hh"
#include "harness/trial_campaign.hh"

#include <algorithm>
#include <format>
#include <iostream>
#include <map>

namespace harness {
namespace {

constexpr std::uint32_t kDefaultDrops = 2;

void require_walkable(const CommandLine& command, const Plan& plan) {
  const std::vector<std::string> reasons = reasons_not_to_walk(plan);
  if (reasons.empty()) return;
  std::string text =
      std::format("labrun: {}: the losses cannot be walked:", command.scenario.string());
  for (const std::string& reason : reasons) text += "\n  " + reason;
  throw BadInput(text);
}

std::vector<FittedCell> fit(const std::filesystem::path& directory,
                            const std::vector<ExactCell>& cells) {
  const StoredRun run(directory);
  std::map<std::string, std::vector<std::optional<base::Nanoseconds>>> samples;
  RecordReader reader(run);
  for (auto records = reader.next_block(); !records.empty(); records = reader.next_block())
    for (const captures::QueryRecord& record : records) samples[record.cell].push_back(record.time);
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
    throw BadInput(std::format("labrun: --against {}: no cell of it is a cell of this scenario",
                               directory.string()));
  return fitted;
}

int report(const CommandLine& command, const std::vector<ExactCell>& cells,
           const std::vector<FittedCell>& fitted, const ExactFacts& facts) {
  const Colors colors = table_colors(command.color);
  std::cout << render_exact(cells, colors);
  if (!fitted.empty()) std::cout << render_fit(fitted, colors) << '\n';
  const std::string faults = render_faults(cells);
  std::cout << faults << (faults.empty() ? "" : "\n");
  std::cout << labelled("walk", std::format("{} queries asked in {:.1f} s of real time, {:.1f} ms "
                                            "each; at most {} losses in one",
                                            facts.runs, facts.real_seconds,
                                            facts.real_milliseconds_per_run(), facts.max_drops))
            << labelled("kernel", facts.kernel) << labelled("seed", facts.seed)
            << labelled("reproduce", facts.reproduce) << labelled("result", facts.directory);
  const bool agree =
      std::ranges::all_of(fitted, [](const FittedCell& cell) { return cell.fit.agrees(); });
  return agree ? base::kExitSuccess : base::kExitExpectationFailed;
}

}  // namespace

int exact(const CommandLine& command, const Image& image, const Plan& plan,
          const std::string& scenario_text) {
  require_walkable(command, plan);
  const std::uint32_t max_drops = command.max_drops.value_or(kDefaultDrops);
  const RunDirectory directory = command.resume
                                     ? RunDirectory::reopen(*command.resume)
                                     : RunDirectory::create(command.out, plan.scenario + "-exact");
  directory.write("scenario.yaml", scenario_text);
  TrialCampaign campaign(command, image, trial_plan(plan), walk_tasks(plan, max_drops), directory);
  const CampaignEnd end = campaign.run("exact");
  if (!end.reason.empty()) {
    std::cerr << std::format("labrun: {}; go on with: {} --resume {}\n", end.reason,
                             reproduce_command(command, plan.seed), shown_path(directory.path()));
    return end.interrupted ? base::kExitInterrupted : base::kExitLabFailure;
  }
  const std::vector<ExactCell> cells = collect_cells(plan, campaign, max_drops);
  const std::vector<FittedCell> fitted =
      command.against ? fit(*command.against, cells) : std::vector<FittedCell>();
  const ExactFacts facts{.scenario = plan.scenario,
                         .seed = std::to_string(plan.seed),
                         .kernel = describe_kernel(command.kernel, image),
                         .version = std::format("{} ({})", base::kVersion, image.commit),
                         .reproduce = reproduce_command(command, plan.seed),
                         .directory = shown_path(directory.path() / "exact.json"),
                         .max_drops = max_drops,
                         .runs = campaign.runs(),
                         .real_seconds = std::chrono::duration<double>(end.real_time).count()};
  directory.write("exact.json", exact_to_json(cells, fitted, facts));
  directory.hand_over();
  return report(command, cells, fitted, facts);
}

}  // namespace harness
