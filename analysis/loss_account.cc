#include "analysis/loss_account.hh"

#include "base/errors.hh"

namespace analysis {

std::optional<double> LossAccount::measured() const {
  if (sent == 0) return std::nullopt;
  return static_cast<double>(lost) / static_cast<double>(sent);
}

AcceptanceRegion LossAccount::accepted() const {
  LABRUN_ASSERT(configured.has_value());
  return acceptance_region(sent, *configured);
}

LossVerdict LossAccount::verdict() const {
  if (!configured) return LossVerdict::kNotJudged;
  return accepted().contains(lost) ? LossVerdict::kFits : LossVerdict::kDeviates;
}

}  // namespace analysis
