#include "harness/trial_block.hh"

#include "analysis/minimise.hh"
#include "analysis/pattern_walk.hh"
#include "base/errors.hh"
#include "harness/block_network.hh"
#include "harness/leaf_json.hh"
#include "harness/minimal_set.hh"
#include "harness/trial_job.hh"
#include "harness/trial_runner.hh"
#include "harness/trial_store.hh"

#include <nlohmann/json.hpp>

#include <format>
#include <map>
#include <utility>

namespace harness {
namespace {

using analysis::LossPattern;
using analysis::Trial;
using nlohmann::json;

// Every message costs a system call in the lab kernel.
constexpr std::uint64_t kTrialsPerMessage = 10;
// Of one minimising. All pairs of thirty losses are fewer.
constexpr std::size_t kMostTrials = 500;

json packets_json(const std::vector<analysis::TrialPacket>& packets) {
  json list = json::array();
  for (const analysis::TrialPacket& packet : packets)
    list.push_back({{"packet", to_string(packet.name)},
                    {"at_ns", packet.at.count()},
                    {"bytes", packet.bytes},
                    {"meaning", packet.meaning},
                    {"signature", packet.signature},
                    {"dropped", packet.dropped}});
  return list;
}

class TrialBlock {
 public:
  TrialBlock(const BlockContext& context, const BlockMessages& messages)
      : context_(context),
        messages_(messages),
        job_(parse_trial_job(base::read_file(context.results / kTrialJobFile))),
        lab_(context, {.captures = false, .gate = true}),
        runner_(lab_),
        store_(context.results / kTrialsFile) {
    LABRUN_ASSERT(!context.block.queries.empty());
  }

  void run() {
    json facts;
    switch (job_.kind) {
      case TrialJob::Kind::kWalk:
        facts = walk();
        break;
      case TrialJob::Kind::kDelays:
        delay_each();
        break;
      case TrialJob::Kind::kScripts:
        run_scripts();
        break;
      case TrialJob::Kind::kMinimise:
        minimise();
        break;
    }
    messages_.progress(static_cast<std::uint32_t>(runner_.count()), lab_.elapsed());
    lab_.close();
    facts["runs"] = runner_.count();
    facts["lab"] = lab_.describe();
    base::write_file_atomically(context_.results / kTrialFactsFile, facts.dump(1) + "\n");
  }

 private:
  const PlannedQuery& query() const { return context_.block.queries.front(); }

  analysis::PathTimes times() const {
    return path_times(context_.plan.arms[context_.plan.cells[query().cell].arm]);
  }

  Trial trial_of(const PlannedQuery& query, const FateScript& script) {
    Trial trial = runner_.run(query, script);
    store_.add(trial);
    if (runner_.count() % kTrialsPerMessage == 0)
      messages_.progress(static_cast<std::uint32_t>(runner_.count()), lab_.elapsed());
    return trial;
  }

  Trial trial_of(const LossPattern& pattern) {
    if (auto stored = store_.take(pattern)) return std::move(*stored);
    return trial_of(query(), drops(pattern));
  }

  json walk() {
    std::string leaves;
    std::string faults;
    analysis::PatternWalk walk(
        {.max_drops = job_.max_drops,
         .times = times(),
         .share = {.index = job_.share, .of = job_.shares}},
        {.run = [&](const LossPattern& pattern) { return trial_of(pattern); },
         .found =
             [&](const analysis::WalkedTrial& found) {
               leaves +=
                   to_json_line(WalkedLeaf{.pattern = found.trial.pattern,
                                           .leaf = {.time = found.trial.time,
                                                    .counts = analysis::counts_of(found.past)}}) +
                   "\n";
             },
         .fault =
             [&](const analysis::DeterminismFault& fault) {
               faults += json{{"pattern", to_string(fault.pattern)},
                              {"attempts", fault.attempts},
                              {"difference", fault.difference},
                              {"parent", packets_json(fault.parent)},
                              {"child", packets_json(fault.child)}}
                             .dump() +
                         "\n";
             }});
    const analysis::WalkSummary summary = walk.walk();
    base::write_file_atomically(context_.results / kLeavesFile, leaves);
    base::write_file_atomically(context_.results / kFaultsFile, faults);
    return {{"found", summary.found}, {"faults", summary.faults}, {"helped", summary.helped}};
  }

  // What does it cost when one packet is late? Those behind it overtake.
  void delay_each() {
    const Trial lossless = trial_of(query(), {});
    for (const analysis::RevealedPacket& packet : analysis::past_of(lossless, times()))
      trial_of(query(),
               {{.packet = packet.name, .verdict = captures::Verdict::kDelay, .by = job_.late}});
  }

  void run_scripts() {
    LABRUN_ASSERT(job_.scripts.size() == context_.block.queries.size());
    for (std::size_t index = 0; index < job_.scripts.size(); ++index)
      trial_of(context_.block.queries[index], job_.scripts[index]);
  }

  // From when on a trial counts as slow. Who asked knows the lossless time only where the run had a
  // query without losses; with a rate it lies above the planned floor.
  std::optional<base::Nanoseconds> slow_from(const Trial& lossless, const Trial& full) const {
    if (!job_.slower_than || !lossless.time || !full.time || *lossless.time < *job_.slower_than)
      return job_.slower_than;
    constexpr base::Nanoseconds kNothing = std::chrono::milliseconds(1);
    const base::Nanoseconds slowdown = *full.time - *lossless.time;
    return *lossless.time + std::max(slowdown / 2, kNothing);
  }

  void minimise() {
    std::map<LossPattern, Trial> tried;
    const auto ask = [&](const LossPattern& pattern) -> const Trial& {
      const auto known = tried.find(pattern);
      if (known != tried.end()) return known->second;
      return tried.emplace(pattern, trial_of(pattern)).first->second;
    };
    Minimising result{.lossless = ask({}), .full = ask(job_.pattern), .minimal = {}};
    const auto slow = slow_from(result.lossless, result.full);
    const auto is_slow = [&](const LossPattern& pattern) {
      const Trial& trial = ask(pattern);
      return !trial.time || (slow && *trial.time >= *slow);
    };
    const auto found = analysis::minimise(job_.pattern, is_slow, kMostTrials);
    if (found)
      result.minimal = {.trial = ask(found->pattern),
                        .one_minimal = found->one_minimal,
                        .smallest = found->smallest};
    result.trials = tried.size();
    base::write_file_atomically(context_.results / kMinimalFile, to_json(result));
  }

  const BlockContext& context_;
  const BlockMessages& messages_;
  TrialJob job_;
  BlockLab lab_;
  TrialRunner runner_;
  TrialStore store_;
};

}  // namespace

bool has_trial_job(const BlockContext& context) {
  return std::filesystem::exists(context.results / kTrialJobFile);
}

void run_trial_block(const BlockContext& context, const BlockMessages& messages) {
  TrialBlock(context, messages).run();
}

}  // namespace harness
