#pragma once

// Which of many drops it takes: a smaller loss pattern that fails as the original does. Failing is
// whatever the caller wants explained: no answer, or one later than a second.

#include "analysis/trial.hh"

#include <cstddef>
#include <functional>
#include <optional>

namespace analysis {

struct Minimised {
  LossPattern pattern;
  std::size_t trials = 0;    // patterns tried, each once
  bool one_minimal = false;  // none of its drops can be spared
  bool smallest = false;     // no pattern of fewer of the original's drops fails
};

// Delta debugging (ddmin; Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input,
// 2002), then single drops are removed until none can be spared. A drop that is spared renumbers
// what its end sends later, so a pattern of one or two other drops may do as well, out of reach for
// removals that all must fail: all single drops of the original are tried, then all pairs, while
// they are fewer than what was found. What is found is the same for the same answers of `fails`.
//
// Tries at most `max_trials` patterns; then the smallest found so far is the result. Empty where
// the original does not fail. `fails` is asked about a pattern once.
std::optional<Minimised> minimise(const LossPattern& original,
                                  const std::function<bool(const LossPattern&)>& fails,
                                  std::size_t max_trials);

}  // namespace analysis
