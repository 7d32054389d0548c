#include "analysis/expectations.hh"

#include "analysis/metrics.hh"
#include "base/errors.hh"
#include "base/units.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <format>

namespace analysis {
namespace {

std::string in_unit(double value, MetricUnit unit) {
  switch (unit) {
    case MetricUnit::kDuration: {
      const base::Nanoseconds time(std::llround(std::abs(value)));
      return (value < 0 ? "-" : "") + base::to_string(time);
    }
    case MetricUnit::kProbability:
      return std::format("{:.4g}%", value * 100);
    case MetricUnit::kCount:
    case MetricUnit::kRatio:
      break;
  }
  return std::format("{:.6g}", value);
}

ExpectationVerdict judge_one(const Expectation& expectation, const Summary& summary) {
  const Metric* metric = find_metric(expectation.metric);
  if (metric == nullptr)
    throw base::LabError(std::format("there is no metric \"{}\"", expectation.metric));
  ExpectationVerdict verdict{.expectation = expectation,
                             .judgement = Judgement::kNotJudged,
                             .measured = std::nullopt,
                             .text = {}};
  const std::string subject = std::format("{} {}", expectation.cell, expectation.metric);
  const CellSummary* cell = summary.find(expectation.cell);
  if (cell == nullptr) {
    verdict.text = subject + " is not judged: the cell was not run";
    return verdict;
  }
  const Reading reading = read_metric(expectation.metric, *cell);
  if (!reading.value && !reading.censored) {
    verdict.text = std::format("{} is not judged: {}", subject, reading.reason);
    return verdict;
  }
  const bool held =
      reading.value && *reading.value >= expectation.lower && *reading.value <= expectation.upper;
  verdict.judgement = held ? Judgement::kHeld : Judgement::kBroken;
  verdict.measured = reading.value;
  const std::string value = reading.value ? in_unit(*reading.value, metric->unit)
                                          : "beyond " + base::to_string(cell->spec.timeout);
  verdict.text = std::format(
      "{} is {}, {} [{}, {}]", subject, value, held ? "within" : "expected within",
      in_unit(expectation.lower, metric->unit), in_unit(expectation.upper, metric->unit));
  return verdict;
}

std::string_view to_string(Judgement judgement) {
  switch (judgement) {
    case Judgement::kHeld:
      return "held";
    case Judgement::kBroken:
      return "broken";
    case Judgement::kNotJudged:
      break;
  }
  return "not_judged";
}

}  // namespace

std::vector<ExpectationVerdict> judge(std::span<const Expectation> expectations,
                                      const Summary& summary) {
  std::vector<ExpectationVerdict> verdicts;
  for (const Expectation& expectation : expectations)
    verdicts.push_back(judge_one(expectation, summary));
  return verdicts;
}

bool all_hold(std::span<const ExpectationVerdict> verdicts) {
  return std::ranges::none_of(verdicts, [](const ExpectationVerdict& verdict) {
    return verdict.judgement == Judgement::kBroken;
  });
}

nlohmann::ordered_json to_json(std::span<const ExpectationVerdict> verdicts) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const ExpectationVerdict& verdict : verdicts) {
    const Expectation& expectation = verdict.expectation;
    nlohmann::ordered_json entry{{"cell", expectation.cell},
                                 {"metric", expectation.metric},
                                 {"within", {expectation.lower, expectation.upper}},
                                 {"verdict", to_string(verdict.judgement)},
                                 {"measured", nullptr},
                                 {"text", verdict.text}};
    if (verdict.measured) entry["measured"] = *verdict.measured;
    array.push_back(std::move(entry));
  }
  return array;
}

}  // namespace analysis
