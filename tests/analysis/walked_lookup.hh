#pragma once

// Walks of toy lookups, with all that they reported.

#include "analysis/exact_distribution.hh"
#include "analysis/pattern_walk.hh"
#include "tests/analysis/toy_lookup.hh"

#include <set>

namespace analysis::toy {

struct Walked {
  std::vector<WalkedTrial> trials;
  std::vector<DeterminismFault> faults;
  WalkSummary summary;

  std::vector<Leaf> leaves() const {
    std::vector<Leaf> leaves;
    for (const WalkedTrial& walked : trials)
      leaves.push_back({.time = walked.trial.time, .counts = counts_of(walked.past)});
    return leaves;
  }
  std::set<LossPattern> patterns() const {
    std::set<LossPattern> patterns;
    for (const WalkedTrial& walked : trials) patterns.insert(walked.trial.pattern);
    return patterns;
  }
};

inline Walked walk_with(const WalkConfig& config, std::function<Trial(const LossPattern&)> run) {
  Walked walked;
  PatternWalk walk(
      config, {.run = std::move(run),
               .found = [&](const WalkedTrial& found) { walked.trials.push_back(found); },
               .fault = [&](const DeterminismFault& fault) { walked.faults.push_back(fault); }});
  walked.summary = walk.walk();
  return walked;
}

inline Walked walk_all(const Protocol& protocol, const PathTimes& times, WalkConfig config,
                       base::Nanoseconds jitter = base::Nanoseconds(0), base::Seed seed = 0) {
  config.times = times;
  Lab lab{.protocol = protocol, .times = times, .jitter = jitter, .seed = seed};
  return walk_with(config, [&](const LossPattern& pattern) { return lab.run(pattern); });
}

}  // namespace analysis::toy
