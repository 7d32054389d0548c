#include "harness/minimize.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "harness/block_network.hh"
#include "harness/minimal_set.hh"
#include "harness/minimize_text.hh"
#include "harness/query_choice.hh"
#include "harness/recorded_query.hh"
#include "harness/recorded_scenario.hh"
#include "harness/replay_text.hh"
#include "harness/scenario_error.hh"
#include "harness/stored_run.hh"
#include "harness/trial_campaign.hh"
#include "harness/trial_runner.hh"

#include <algorithm>
#include <format>
#include <iostream>
#include <optional>
#include <span>
#include <utility>

namespace harness {
namespace {

using base::Nanoseconds;

// What the cell takes when nothing is lost: the fastest such query of the run. Rate and stalls are
// in it, which the planned floor leaves out; that is the answer where every query had losses.
Nanoseconds lossless_time(const StoredRun& run, const PlannedCell& cell) {
  std::optional<Nanoseconds> fastest;
  RecordReader reader(run);
  for (auto records = reader.next_block(); !records.empty(); records = reader.next_block())
    for (const captures::QueryRecord& record : records)
      if (record.cell == cell.name && record.lost.empty() && record.time)
        fastest = std::min(fastest.value_or(*record.time), *record.time);
  return fastest.value_or(cell.floor);
}

RecordedQuery chosen_query(const CommandLine& command, const StoredRun& run) {
  const std::string id = QueryChoice(run).one(command.queries.front());
  std::vector<RecordedQuery> queries = read_recorded(run, std::span(&id, 1));
  if (queries.front().lost.empty())
    throw BadInput(
        std::format("labrun: no packet of {} was lost: there is nothing to minimise", id));
  return std::move(queries.front());
}

}  // namespace

std::optional<Nanoseconds> slow_from(const CommandLine& command, const StoredRun& run,
                                     const RecordedQuery& query) {
  const std::optional<Nanoseconds> time = query.record.time;
  if (!time && !command.slower_by) return std::nullopt;
  const Nanoseconds lossless = lossless_time(run, run.plan().cells.at(query.planned.cell));
  const Nanoseconds slowdown = time.value_or(Nanoseconds::max()) - lossless;
  if (slowdown <= kSameTime)
    throw BadInput(std::format("labrun: {} took {} ms, as without losses: nothing to minimise",
                               query.record.id, in_milliseconds(*time)));
  if (command.slower_by && *command.slower_by > slowdown)
    throw BadInput(std::format("labrun: --slower-by {} ms: {} was slower by {} ms only",
                               in_milliseconds(*command.slower_by), query.record.id,
                               in_milliseconds(slowdown)));
  return lossless + command.slower_by.value_or(slowdown / 2);
}

LossSearch search_losses(const CommandLine& command, const Image& image, const StoredRun& run,
                         const RecordedQuery& query, const std::optional<Nanoseconds>& slow) {
  TrialTask task{.job = {.kind = TrialJob::Kind::kMinimise,
                         .scripts = {},
                         .pattern = query.lost,
                         .slower_than = slow},
                 .queries = {query.planned},
                 .seed = query.kernel_seed};
  TemporaryRun temporary;
  TrialCampaign campaign(command, image, scripted_plan(run.plan()), {std::move(task)},
                         temporary.directory());
  LossSearch search{.end = campaign.run("minimize"), .found = {}};
  temporary.keep_after(search.end);
  if (search.end.reason.empty())
    search.found = parse_minimising(base::read_file(campaign.results(0) / kMinimalFile));
  return search;
}

Recording minimal_recording(const StoredRun& run, const RecordedQuery& query,
                            const analysis::Trial& minimal) {
  const PlannedCell& cell = run.plan().cells.at(query.planned.cell);
  return {.query = query,
          .script = drops(minimal.pattern),
          .path = without_chance(run.plan().arms.at(cell.arm).path),
          .trial = minimal,
          .origin = "Only the losses that it takes (labrun minimize)"};
}

int minimize(const CommandLine& command, const Image& image) {
  const StoredRun run(command.target);
  require_virtual_time(run, "minimize");
  if (command.record) require_new_file(*command.record);
  const RecordedQuery query = chosen_query(command, run);
  const std::optional<Nanoseconds> slow = slow_from(command, run, query);
  const LossSearch search = search_losses(command, image, run, query, slow);
  if (!search.end.reason.empty()) return report_failure(search.end);
  if (!search.found.minimal) {
    std::cout << render_not_slow(query.record, search.found, slow);
    return base::kExitExpectationFailed;
  }
  std::cout << render_minimal(query.record, search.found, search.end.real_time);
  if (!command.record) return base::kExitSuccess;
  return record_scenario(command, image, run,
                         minimal_recording(run, query, search.found.minimal->trial))
             ? base::kExitSuccess
             : base::kExitExpectationFailed;
}

}  // namespace harness
