#include "harness/run_figures.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "harness/fidelity.hh"

#include <nlohmann/json.hpp>

#include <iostream>
#include <vector>

namespace harness {

analysis::SummaryBuilder summary_builder(const Plan& plan) {
  return analysis::SummaryBuilder(cell_specs(plan));
}

std::vector<analysis::Expectation> expectations_of(const Plan& plan) {
  std::vector<analysis::Expectation> expectations;
  expectations.reserve(plan.claims.size());
  for (const Claim& claim : plan.claims)
    expectations.push_back(
        {.cell = claim.cell, .metric = claim.metric, .lower = claim.low, .upper = claim.high});
  return expectations;
}

RunFigures::RunFigures(const Plan& plan) : summary_(summary_builder(plan)) {}

void RunFigures::add(std::span<const captures::QueryRecord> records,
                     const analysis::FindingCollection& findings) {
  for (const captures::QueryRecord& record : records) summary_.add(record);
  findings_.add(findings);
}

void RunFigures::write(const std::filesystem::path& run_directory) const {
  base::write_file_atomically(run_directory / "summary.json",
                              analysis::to_json(summary()).dump(1) + "\n");
  base::write_file_atomically(run_directory / "findings.json",
                              analysis::to_json(findings_).dump(1) + "\n");
}

int report_figures(const RunFigures& figures, const Plan& plan, const RunFacts& facts,
                   Colors colors, bool valid) {
  const analysis::Summary summary = figures.summary();
  const auto verdicts = analysis::judge(expectations_of(plan), summary);
  std::cout << render_table(summary, verdicts, figures.findings(), facts, colors) << std::flush;
  if (!valid) return base::kExitLabFailure;
  return analysis::all_hold(verdicts) ? base::kExitSuccess : base::kExitExpectationFailed;
}

}  // namespace harness
