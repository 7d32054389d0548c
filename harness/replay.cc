#include "harness/replay.hh"

#include "base/errors.hh"
#include "harness/query_choice.hh"
#include "harness/recorded_query.hh"
#include "harness/recorded_scenario.hh"
#include "harness/replay_text.hh"
#include "harness/scenario_error.hh"
#include "harness/stored_run.hh"
#include "harness/trial_campaign.hh"
#include "harness/trial_store.hh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <format>
#include <iostream>
#include <map>
#include <utility>
#include <vector>

namespace harness {
namespace {

// Queries asked by one command.
constexpr std::uint64_t kMostReplays = 20'000;

std::vector<std::string> chosen_queries(const CommandLine& command, const StoredRun& run) {
  const QueryChoice choice(run);
  std::vector<std::string> ids;
  for (const std::string& words : command.queries)
    for (std::string& id : choice.several(words))
      if (!std::ranges::contains(ids, id)) ids.push_back(std::move(id));
  if (ids.size() * command.times > kMostReplays)
    throw BadInput(std::format("labrun: {} queries {} times are more than {}", ids.size(),
                               command.times, kMostReplays));
  if (command.record && ids.size() > 1)
    throw BadInput(std::format("labrun: --record: a scenario does one thing; {} queries are chosen",
                               ids.size()));
  return ids;
}

// The blocks again, each with the queries that are chosen of it.
class ReplayTasks {
 public:
  explicit ReplayTasks(std::uint32_t times) : times_(times) {}

  void add(const RecordedQuery& query, const PlannedArm& arm) {
    const auto [entry, added] = by_block_.emplace(query.record.block, tasks_.size());
    if (added)
      tasks_.push_back(
          {.job = {.kind = TrialJob::Kind::kScripts}, .queries = {}, .seed = query.kernel_seed});
    TrialTask& task = tasks_[entry->second];
    places_.push_back({.task = entry->second, .first = task.queries.size()});
    task.queries.insert(task.queries.end(), times_, query.planned);
    task.job.scripts.insert(task.job.scripts.end(), times_,
                            replays_by_seed(arm) ? FateScript() : query.script);
  }
  const std::vector<TrialTask>& tasks() const { return tasks_; }

  // Of each query that was added its trials.
  std::vector<std::vector<analysis::Trial>> results(const TrialCampaign& campaign) const {
    std::vector<std::vector<analysis::Trial>> of_tasks;
    of_tasks.reserve(tasks_.size());
    for (std::size_t task = 0; task < tasks_.size(); ++task)
      of_tasks.push_back(read_trials(campaign.results(task) / kTrialsFile));
    std::vector<std::vector<analysis::Trial>> trials;
    for (const Place& place : places_) {
      const auto first = of_tasks[place.task].begin() + static_cast<std::ptrdiff_t>(place.first);
      trials.emplace_back(first, first + times_);
    }
    return trials;
  }

 private:
  struct Place {
    std::size_t task = 0;
    std::size_t first = 0;  // of its trials
  };
  std::uint32_t times_;
  std::map<std::uint64_t, std::size_t> by_block_;
  std::vector<TrialTask> tasks_;
  std::vector<Place> places_;
};

const PlannedArm& arm_of(const Plan& plan, const RecordedQuery& query) {
  return plan.arms.at(plan.cells.at(query.planned.cell).arm);
}

bool record(const CommandLine& command, const Image& image, const StoredRun& run,
            const Replay& replay) {
  if (!replay.is_same()) {
    std::cerr << "labrun: --record: nothing is written, for the query did not end the same\n";
    return false;
  }
  return record_scenario(command, image, run,
                         {.query = replay.query,
                          .script = replay.query.script,
                          .path = replay_path(arm_of(run.plan(), replay.query)),
                          .trial = replay.trials.front(),
                          .origin = "Asked again alone, its packets as then (labrun replay)"});
}

}  // namespace

int replay(const CommandLine& command, const Image& image) {
  const StoredRun run(command.target);
  require_virtual_time(run, "replay");
  if (command.record) require_new_file(*command.record);
  std::vector<RecordedQuery> queries = read_recorded(run, chosen_queries(command, run));
  ReplayTasks tasks(command.times);
  for (const RecordedQuery& query : queries) tasks.add(query, arm_of(run.plan(), query));
  TemporaryRun temporary;
  TrialCampaign campaign(command, image, replay_plan(run.plan()), tasks.tasks(),
                         temporary.directory());
  const CampaignEnd end = campaign.run("replay");
  temporary.keep_after(end);
  if (!end.reason.empty()) return report_failure(end);
  auto trials = tasks.results(campaign);
  std::vector<Replay> replays;
  replays.reserve(queries.size());
  for (std::size_t index = 0; index < queries.size(); ++index)
    replays.push_back({std::move(queries[index]), std::move(trials[index])});
  const auto same =
      std::ranges::count_if(replays, [](const Replay& replay) { return replay.is_same(); });
  std::cout << render_replays(replays, table_colors(command.color))
            << std::format("{} of {} ended the same; {:.1f} s of real time\n", same, replays.size(),
                           std::chrono::duration<double>(end.real_time).count());
  bool good = static_cast<std::size_t>(same) == replays.size();
  if (command.record && !record(command, image, run, replays.front())) good = false;
  return good ? base::kExitSuccess : base::kExitExpectationFailed;
}

}  // namespace harness
