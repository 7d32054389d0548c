#pragma once

// The figures of a run: what the table shows, summary.json and findings.json hold. Built block by
// block, in memory that does not grow with the run but for a few numbers a query.

#include "analysis/expectations.hh"
#include "analysis/finding_collection.hh"
#include "analysis/summary.hh"
#include "captures/query_record.hh"
#include "harness/plan.hh"
#include "harness/table.hh"

#include <filesystem>
#include <span>
#include <vector>

namespace harness {

// Of the plan's cells.
analysis::SummaryBuilder summary_builder(const Plan& plan);
// What the plan claims.
std::vector<analysis::Expectation> expectations_of(const Plan& plan);

class RunFigures {
 public:
  explicit RunFigures(const Plan& plan);

  // A valid block's, in the order of the plan.
  void add(std::span<const captures::QueryRecord> records,
           const analysis::FindingCollection& findings);

  analysis::Summary summary() const { return summary_.build(); }
  const analysis::FindingCollection& findings() const { return findings_; }
  // summary.json and findings.json.
  void write(const std::filesystem::path& run_directory) const;

 private:
  analysis::SummaryBuilder summary_;
  analysis::FindingCollection findings_;
};

// Prints the table and judges the plan's claims; the exit code follows from them and `valid`.
int report_figures(const RunFigures& figures, const Plan& plan, const RunFacts& facts,
                   Colors colors, bool valid);

}  // namespace harness
