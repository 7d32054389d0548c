#pragma once

// What walks over loss patterns found out about one cell.

#include "analysis/exact_distribution.hh"
#include "analysis/trial.hh"
#include "base/clock.hh"
#include "harness/leaf_json.hh"
#include "harness/plan.hh"
#include "harness/trial_campaign.hh"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace harness {

// Losses in one query at most, where nobody says.
inline constexpr std::uint32_t kDefaultDrops = 2;

struct ExactCell {
  PlannedCell planned;
  analysis::PathTimes times;
  analysis::LossRates rates;           // the scenario's own
  analysis::Trial lossless;            // its packets
  std::vector<WalkedLeaf> leaves;      // the lossless one first
  std::vector<nlohmann::json> faults;  // of determinism, as the blocks wrote them
  std::uint64_t helped = 0;            // patterns that repeated their parent only when run again

  // Packets whose loss can matter to the lossless exchange.
  std::size_t packets_in_past() const;
  analysis::ExactDistribution distribution(const analysis::LossRates& at) const;
};

// Tasks that walk the losses of a plan's cells, at most `max_drops` in one query. Deep walks are
// split into more tasks, so that many kernels can work and an interruption costs little. The tasks
// of one cell follow each other.
std::vector<TrialTask> walk_tasks(const Plan& plan, std::uint32_t max_drops);
std::uint32_t walk_shares(std::uint32_t max_drops);

// `sampled` is the plan with its own paths, whose loss becomes `rates`. Throws LabError where the
// kernels that shared a cell did not see the same lossless exchange.
std::vector<ExactCell> collect_cells(const Plan& sampled, const TrialCampaign& campaign,
                                     std::uint32_t max_drops);

// Reasons why the losses of this plan cannot be walked: chance other than independent loss, or a
// scripted gate. Empty where they can.
std::vector<std::string> reasons_not_to_walk(const Plan& plan);

}  // namespace harness
