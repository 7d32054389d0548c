#include "harness/reproduction.hh"

#include "base/errors.hh"
#include "harness/minimize.hh"
#include "harness/minimize_text.hh"
#include "harness/recorded_query.hh"
#include "harness/recorded_scenario.hh"
#include "harness/replay_text.hh"
#include "harness/scenario_error.hh"
#include "harness/trial_campaign.hh"
#include "harness/trial_store.hh"

#include <algorithm>
#include <format>
#include <optional>
#include <span>
#include <vector>

namespace harness {
namespace {

using analysis::Trial;

constexpr std::size_t kControls = 20;

// What a message to the caller says, without whom it is from.
std::string reason_of(const BadInput& problem) {
  std::string text = problem.what();
  for (const std::string_view prefix : {"labrun: ", "--record: "})
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
  return text;
}

void require_good_end(const CampaignEnd& end) {
  if (!end.reason.empty()) throw base::LabError("reproduce the query: " + end.reason);
}

// As it was in the run: with the losses that it takes, or else with everything as then.
class Reproducer {
 public:
  Reproducer(const CommandLine& command, const Image& image, const StoredRun& run,
             const RecordedQuery& query)
      : command_(command), image_(image), run_(run), query_(query) {}

  Reproduction run() {
    require_virtual_time(run_, "bundle");
    const Recording recording = query_.lost.empty() ? as_then() : with_fewest_losses();
    const auto text = proven_scenario(command_, image_, run_, recording);
    if (text) {
      result_.scenario = *text;
    } else {
      result_.why_none = "asked alone in a kernel of its own, the query ended otherwise";
    }
    count_controls(recording);
    return std::move(result_);
  }

 private:
  const PlannedArm& arm() const {
    return run_.plan().arms.at(run_.plan().cells.at(query_.planned.cell).arm);
  }

  Recording with_fewest_losses() {
    std::optional<base::Nanoseconds> slow;
    try {
      slow = slow_from(command_, run_, query_);
    } catch (const BadInput&) {
      // Its losses cost it nothing.
      return as_then();
    }
    const LossSearch search = search_losses(command_, image_, run_, query_, slow);
    require_good_end(search.end);
    if (!search.found.minimal) return as_then();
    result_.losses = render_minimal(query_.record, search.found, search.end.real_time);
    return minimal_recording(run_, query_, search.found.minimal->trial);
  }

  Recording as_then() {
    const netns::PathSpec path = replay_path(arm());
    const std::vector<Trial> trials = ask(replay_plan(run_.plan()), {query_.script});
    if (!Replay::is_same(query_.record, trials.front()))
      throw BadInput(std::format("asked again, the query ended with {} instead of {}",
                                 end_text(trials.front().outcome, trials.front().time),
                                 end_text(query_.record.outcome, query_.record.time)));
    return {.query = query_,
            .script = query_.script,
            .path = path,
            .trial = trials.front(),
            .origin = "Asked again alone, its packets as then"};
  }

  std::vector<Trial> ask(const Plan& plan, std::vector<FateScript> scripts) {
    TrialTask task{.job = {.kind = TrialJob::Kind::kScripts, .scripts = std::move(scripts)},
                   .queries = {},
                   .seed = query_.kernel_seed};
    task.queries.assign(task.job.scripts.size(), query_.planned);
    TemporaryRun temporary;
    TrialCampaign campaign(command_, image_, plan, {std::move(task)}, temporary.directory());
    const CampaignEnd end = campaign.run("bundle");
    temporary.keep_after(end);
    require_good_end(end);
    return read_trials(campaign.results(0) / kTrialsFile);
  }

  void count_controls(const Recording& recording) {
    std::vector<FateScript> scripts(kControls);
    scripts.resize(2 * kControls, recording.script);
    const std::vector<Trial> trials = ask(scripted_plan(run_.plan()), std::move(scripts));
    for (std::size_t index = 0; index < trials.size(); ++index) {
      Control& control = index < kControls ? result_.without_loss : result_.with_losses;
      const Trial& trial = trials[index];
      ++control.asked;
      control.answered += trial.time ? 1 : 0;
      const bool same =
          trial.outcome == recording.trial.outcome &&
          (!trial.time || std::chrono::abs(*trial.time - *recording.trial.time) <= kSameTime);
      control.as_recorded += same ? 1 : 0;
    }
  }

  const CommandLine& command_;
  const Image& image_;
  const StoredRun& run_;
  const RecordedQuery& query_;
  Reproduction result_;
};

}  // namespace

Reproduction reproduce(const CommandLine& command, const Image& image, const StoredRun& run,
                       const std::string& id) {
  try {
    const std::vector<RecordedQuery> queries = read_recorded(run, std::span(&id, 1));
    return Reproducer(command, image, run, queries.front()).run();
  } catch (const BadInput& problem) {
    return {.scenario = {},
            .why_none = reason_of(problem),
            .losses = {},
            .without_loss = {},
            .with_losses = {}};
  }
}

}  // namespace harness
