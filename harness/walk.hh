#pragma once

// What `labrun exact` and `labrun map` have in common: a campaign in a run directory of its own,
// that can be interrupted and gone on with, and what is said of it.

#include "harness/command_line.hh"
#include "harness/exact_json.hh"
#include "harness/image.hh"
#include "harness/plan.hh"
#include "harness/run_directory.hh"
#include "harness/trial_campaign.hh"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

class Walk {
 public:
  // `plan` is the scenario's own, `name` the command's. Throws BadInput where the losses of this
  // scenario cannot be walked.
  Walk(const CommandLine& command, const Image& image, const Plan& plan,
       const std::string& scenario_text, std::string_view name);

  // The exit code of a campaign that did not come to its end, of which everything is said.
  std::optional<int> run(std::vector<TrialTask> tasks);
  const TrialCampaign& campaign() const { return *campaign_; }
  // Writes `text` as the result, exact.json or map.json, and gives the directory to its user.
  void finish(std::string_view file, std::string_view text) const;
  ExactFacts facts(std::uint32_t max_drops, std::string_view file) const;

 private:
  const CommandLine& command_;
  const Image& image_;
  const Plan& plan_;
  std::string name_;
  RunDirectory directory_;
  std::optional<TrialCampaign> campaign_;
  base::Nanoseconds real_time_{0};
};

// The lines under the result.
std::string describe(const ExactFacts& facts);

}  // namespace harness
