#pragma once

// Runs blocks of trials and waits for them: what `labrun exact`, `map`, `replay` and `minimize`
// have in common.

#include "base/clock.hh"
#include "base/temporary_folder.hh"
#include "harness/command_line.hh"
#include "harness/image.hh"
#include "harness/plan.hh"
#include "harness/run_directory.hh"
#include "harness/trial_job.hh"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace harness {

// One kernel's worth: the queries are what the job is about, all of one arm.
struct TrialTask {
  TrialJob job;
  std::vector<PlannedQuery> queries;
  base::Seed seed = 0;  // of the kernel
};

// `plan` without blocks of its own, its paths without chance.
Plan trial_plan(Plan plan);

struct CampaignEnd {
  bool interrupted = false;
  std::string reason;  // empty after a good end
  base::Nanoseconds real_time{0};
};

class TrialCampaign {
 public:
  // `plan` as trial_plan() gives it; its blocks become the tasks. In a directory that an
  // interrupted campaign left, plan and tasks must be the same, else BadInput; what is done is not
  // done again.
  TrialCampaign(const CommandLine& command, const Image& image, Plan plan,
                std::vector<TrialTask> tasks, const RunDirectory& directory);

  // `name` is what a person sees meanwhile: "exact".
  CampaignEnd run(std::string_view name);
  // Where task `index` has left its files.
  std::filesystem::path results(std::size_t index) const;
  std::uint64_t runs() const;  // queries asked, by all tasks
  const Plan& plan() const { return plan_; }

 private:
  bool is_done(std::size_t index) const;
  void require_same_as_before() const;
  void prepare(std::size_t index, const TrialTask& task) const;

  const CommandLine& command_;
  const Image& image_;
  Plan plan_;
  std::vector<TrialTask> tasks_;
  const RunDirectory& directory_;
};

// Says on standard error why the campaign did not come to its end, and returns the exit code.
int report_failure(const CampaignEnd& end);

// A run directory that nobody shall see, gone with its owner unless its logs are wanted.
class TemporaryRun {
 public:
  TemporaryRun();
  const RunDirectory& directory() const { return directory_; }
  // Where the end was a failure of the lab, which names logs in it.
  void keep_after(const CampaignEnd& end);

 private:
  base::TemporaryFolder folder_;
  RunDirectory directory_;
};

}  // namespace harness
