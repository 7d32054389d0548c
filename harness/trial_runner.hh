#pragma once

// Asks queries in a standing lab while chosen packets meet chosen fates.

#include "analysis/trial.hh"
#include "captures/query_record.hh"
#include "harness/block_lab.hh"
#include "harness/trial_job.hh"

#include <cstdint>

namespace harness {

class TrialRunner {
 public:
  // The lab has a gate, and must outlive the runner.
  explicit TrialRunner(BlockLab& lab) : lab_(lab) {}

  // Asks `query`, whose port is the runner's to choose. Throws LabError where the lab broke.
  analysis::Trial run(const PlannedQuery& query, const FateScript& script);
  std::uint64_t count() const { return count_; }

 private:
  BlockLab& lab_;
  std::uint64_t count_ = 0;
};

// Everything in `pattern` dropped.
FateScript drops(const analysis::LossPattern& pattern);

}  // namespace harness
