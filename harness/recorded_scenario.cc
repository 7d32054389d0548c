#include "harness/recorded_scenario.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "harness/replay_text.hh"
#include "harness/scenario_error.hh"
#include "harness/scenario_text.hh"
#include "harness/trial_campaign.hh"
#include "harness/trial_store.hh"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <format>
#include <iostream>
#include <utility>

namespace harness {
namespace {

using base::Nanoseconds;

// Certificates, keys and connection IDs come from the seed, and now and then a packet's length
// matters to what comes after it.
constexpr base::Seed kSeedsTried = 8;
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestSummary = 200;

[[noreturn]] void refuse(const std::string& why) {
  throw BadInput("labrun: --record: " + why);
}

Scenario stored_scenario(const StoredRun& run) {
  const std::filesystem::path file = run.path() / "scenario.yaml";
  if (!run.overrides())
    refuse(std::format("{} is of an older labrun, which did not write down its command line",
                       run.path().string()));
  return parse_scenario(base::read_file(file, kMaxScenarioBytes), file.string(), *run.overrides());
}

// The arm of the scenario that the run's arm was made of. Another labrun may have other defaults.
const Arm& arm_of(const Scenario& scenario, const StoredRun& run, const PlannedArm& planned) {
  const Plan plan = make_plan(scenario);
  const auto same = std::ranges::find(plan.arms, planned.name, &PlannedArm::name);
  if (same == plan.arms.end() || *same != planned)
    refuse(
        std::format("the scenario in {} does not give the run's plan any more: it was made by "
                    "another labrun",
                    run.path().string()));
  return *std::ranges::find(scenario.arms, planned.name, &Arm::name);
}

GateSettings gate_of(const FateScript& script) {
  if (script.size() > kMaxGateRules)
    refuse(std::format("{} packets would need a rule each; a scenario has at most {}",
                       script.size(), kMaxGateRules));
  GateSettings gate{.on = true, .rules = {}};
  for (const Intervention& one : script) {
    GateRule rule{.verdict = one.verdict,
                  .from = one.packet.from,
                  .is = {},
                  .part = {},
                  .after = {},
                  .ordinal = one.packet.ordinal,
                  .by = one.by,
                  .text = {}};
    rule.text = describe(rule);
    gate.rules.push_back(std::move(rule));
  }
  return gate;
}

Claim claim_of(const std::string& cell, const analysis::Trial& trial) {
  // One query has no median that holds, but a longest time.
  Claim claim{.cell = cell, .metric = "max", .low = 1, .high = 1, .location = {}};
  if (trial.time) {
    // Outwards to whole microseconds, for people.
    using std::chrono::microseconds;
    const auto low = std::chrono::floor<microseconds>(*trial.time - kSameTime);
    const auto high = std::chrono::ceil<microseconds>(*trial.time + kSameTime);
    claim.low = std::max(0.0, static_cast<double>(Nanoseconds(low).count()));
    claim.high = static_cast<double>(Nanoseconds(high).count());
  } else if (trial.outcome == captures::Outcome::kNoAnswer) {
    claim.metric = "no_answer_rate";
  } else {
    claim.metric = "failed";
  }
  return claim;
}

std::string comment_of(const StoredRun& run, const Recording& recording) {
  const captures::QueryRecord& record = recording.query.record;
  return std::format("Query {} of scenario {} with seed {}, which ended there with {}.\n{}: {}.",
                     record.id, run.plan().scenario, run.plan().seed,
                     end_text(record.outcome, record.time), recording.origin,
                     end_text(recording.trial.outcome, recording.trial.time));
}

bool holds(const CommandLine& command, const Image& image, const Scenario& scenario,
           const Recording& recording) {
  const Plan plan = make_plan(scenario);
  const PlannedBlock& block = plan.blocks.front();
  TrialTask task{.job = {.kind = TrialJob::Kind::kScripts, .scripts = {recording.script}},
                 .queries = block.queries,
                 .seed = block.seed};
  const TemporaryRun temporary;
  TrialCampaign campaign(command, image, scripted_plan(plan), {std::move(task)},
                         temporary.directory());
  const CampaignEnd end = campaign.run("record");
  if (!end.reason.empty()) throw base::LabError("try the recorded scenario: " + end.reason);
  const analysis::Trial trial = read_trials(campaign.results(0) / kTrialsFile).at(0);
  if (trial.outcome != recording.trial.outcome) return false;
  return !trial.time || std::chrono::abs(*trial.time - *recording.trial.time) <= kSameTime;
}

}  // namespace

void require_new_file(const std::filesystem::path& file) {
  if (std::filesystem::exists(file)) refuse(std::format("{} exists already", file.string()));
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (!std::filesystem::is_directory(folder)) refuse(folder.string() + " is no folder");
}

Scenario recorded_scenario(const StoredRun& run, const Recording& recording) {
  const Scenario stored = stored_scenario(run);
  const PlannedCell& cell = run.plan().cells.at(recording.query.planned.cell);
  const PlannedArm& planned = run.plan().arms.at(cell.arm);
  Settings settings = arm_of(stored, run, planned).settings;
  settings.path = recording.path;
  settings.gate = gate_of(recording.script);
  const std::string query =
      std::format("-{}-{}", to_string(cell.transport), recording.query.planned.index);
  const std::string& id = recording.query.record.id;
  Scenario scenario;
  scenario.name = stored.name.substr(0, kLongestName - query.size()) + query;
  scenario.summary = std::format("{} of {}, alone", id, stored.name).substr(0, kLongestSummary);
  scenario.seed = stored.seed;
  scenario.mtu = stored.mtu;
  scenario.transports = {cell.transport};
  scenario.queries = 1;
  scenario.blocks = 1;
  scenario.arms.push_back({.name = "", .settings = std::move(settings)});
  scenario.claims = {claim_of(std::string(to_string(cell.transport)), recording.trial)};
  return scenario;
}

std::optional<std::string> proven_scenario(const CommandLine& command, const Image& image,
                                           const StoredRun& run, const Recording& recording) {
  Scenario scenario = recorded_scenario(run, recording);
  for (base::Seed tried = 0; tried < kSeedsTried; ++tried, ++scenario.seed)
    if (holds(command, image, scenario, recording))
      return to_yaml(scenario, comment_of(run, recording));
  return std::nullopt;
}

bool record_scenario(const CommandLine& command, const Image& image, const StoredRun& run,
                     const Recording& recording) {
  const std::filesystem::path& file = *command.record;
  const auto text = proven_scenario(command, image, run, recording);
  if (!text) {
    std::cerr << std::format(
        "labrun: --record: nothing is written, for the scenario ended otherwise "
        "with each of {} seeds\n",
        kSeedsTried);
    return false;
  }
  require_new_file(file);
  base::write_file_atomically(file, *text);
  std::cout << std::format("recorded in {}\n", shown_path(file));
  return true;
}

}  // namespace harness
