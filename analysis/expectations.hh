#pragma once

// A scenario's claims, `expect: [{ cell: dot, metric: p99_minus_p50, within: [950ms, 1400ms] }]`,
// judged by the figures.

#include "analysis/summary.hh"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {

// How a metric's bounds are written in a scenario, and in which unit they are compared.
enum class MetricUnit {
  kDuration,     // "950ms"; nanoseconds
  kCount,        // "3"; a number
  kProbability,  // "2%"; a number in [0, 1]
  kRatio,        // "2.5"; a number
};

struct Metric {
  std::string_view name;
  MetricUnit unit;
  std::string_view meaning;
};

// All metrics that an expectation may name, in the order in which documentation lists them.
std::span<const Metric> metrics();
// nullptr where there is no such metric: an error of the scenario.
const Metric* find_metric(std::string_view name);

// Valid by construction of the scenario: the cell is planned, the metric known, lower <= upper.
struct Expectation {
  std::string cell;
  std::string metric;
  double lower = 0;  // in the metric's unit, both bounds included
  double upper = 0;
};

enum class Judgement {
  kHeld,
  kBroken,
  kNotJudged,  // the run is too small for the metric, or the cell was not run
};

struct ExpectationVerdict {
  Expectation expectation;
  Judgement judgement = Judgement::kNotJudged;
  // In the metric's unit; empty where censored or not judged.
  std::optional<double> measured;
  std::string text;  // "dot p99_minus_p50 is 1.024s, within [950ms, 1.4s]"
};

// Throws LabError for a metric that does not exist. A censored percentile or maximum lies beyond
// every bound: broken.
std::vector<ExpectationVerdict> judge(std::span<const Expectation> expectations,
                                      const Summary& summary);

// True where no expectation is broken.
bool all_hold(std::span<const ExpectationVerdict> verdicts);

nlohmann::ordered_json to_json(std::span<const ExpectationVerdict> verdicts);

}  // namespace analysis
