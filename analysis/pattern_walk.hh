#pragma once

// A walk over all loss patterns with at most so many drops that can change the answer, each once.
//
// It starts without loss. The children of a trial drop, in addition, one packet that passed: each
// of those in its past that were revealed behind its own last drop. Up to the new drop a child
// repeats its parent, so the order in which the parent's packets were revealed holds for the child
// too; it inherits that order rather than taking it anew from times that differ by microseconds.
// Thus the trials are the leaves of one decision tree whatever the times do: two leaves differ in
// the fate of the packet at which their paths part, so no pattern comes twice, and all of them
// together have probability 1 once the walk goes deep enough.
//
// That a child repeats its parent is checked, not assumed.

#include "analysis/past.hh"

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace analysis {

// Runs of one pattern before what it does differently counts as its nature.
inline constexpr std::size_t kMaxAttempts = 3;

// The children of the lossless trial are dealt round robin. All workers must be given the same
// lossless trial: what they deal is its past.
struct WalkShare {
  std::size_t index = 0;
  std::size_t of = 1;
};

struct WalkConfig {
  std::size_t max_drops = 0;
  PathTimes times{};
  WalkShare share{};
  std::size_t max_trials = std::numeric_limits<std::size_t>::max();  // runs, repetitions counted
};

struct WalkedTrial {
  Trial trial;
  std::vector<RevealedPacket> past;  // in the order of the tree
  std::size_t decided = 0;           // so many of `past` are inherited; no drop lies behind them
};

// A pattern that does not repeat what its parent did before the new drop. It counts as not visited,
// with everything below it.
struct DeterminismFault {
  LossPattern pattern;
  std::vector<TrialPacket> parent;  // packets of its parent's run; none for the lossless pattern
  std::vector<TrialPacket> child;   // of its last attempt
  std::size_t attempts = 0;
  std::string difference;  // the first one, in words
};

struct WalkCallbacks {
  // May return a stored trial. Asked again for the same pattern only where what it returned does
  // not repeat its parent: then it must run it anew.
  std::function<Trial(const LossPattern&)> run;
  std::function<void(const WalkedTrial&)> found;
  std::function<void(const DeterminismFault&)> fault;
};

struct WalkSummary {
  std::size_t runs = 0;
  std::size_t found = 0;
  std::size_t faults = 0;
  std::size_t helped = 0;  // patterns that repeated their parent only when run again
  bool complete = true;    // false: max_trials ended the walk
  bool operator==(const WalkSummary&) const = default;
};

class PatternWalk {
 public:
  PatternWalk(WalkConfig config, WalkCallbacks callbacks);
  WalkSummary walk();

 private:
  // Where a pattern comes from: the parent and the position in its past of the packet dropped anew.
  struct Step {
    const WalkedTrial& parent;
    std::size_t position = 0;
  };

  void visit_children(const WalkedTrial& parent);
  void visit_child(const Step& step);
  // Runs the pattern until it repeats its parent. Empty after a fault, or where max_trials is
  // reached.
  std::optional<WalkedTrial> visit(const LossPattern& pattern, const std::optional<Step>& step);
  void report(const WalkedTrial& found);
  bool is_of_share(std::size_t child) const;

  WalkConfig config_;
  WalkCallbacks callbacks_;
  WalkSummary summary_;
};

}  // namespace analysis
