#pragma once

// Loss of one direction as measured from the captures, against what was configured.

#include "analysis/binomial.hh"
#include "base/units.hh"

#include <cstdint>
#include <optional>

namespace analysis {

enum class LossVerdict {
  kFits,       // within the region that 99.9 % of runs fall into
  kDeviates,   // outside it
  kNotJudged,  // nothing to compare with: a burst model
};

struct LossAccount {
  std::uint64_t sent = 0;  // IP packets
  std::uint64_t lost = 0;
  std::optional<base::Probability> configured;

  // Empty where nothing was sent.
  std::optional<double> measured() const;
  ProbabilityInterval interval() const { return wilson_interval(lost, sent); }
  AcceptanceRegion accepted() const;  // only where `configured` is set
  LossVerdict verdict() const;
};

}  // namespace analysis
