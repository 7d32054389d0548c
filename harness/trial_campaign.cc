#include "harness/trial_campaign.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "harness/block_network.hh"
#include "harness/block_schedule.hh"
#include "harness/plan_json.hh"
#include "harness/scenario_error.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <format>
#include <iostream>
#include <map>
#include <thread>
#include <unistd.h>
#include <utility>

namespace harness {
namespace {

namespace fs = std::filesystem;

// One line that is rewritten on a terminal; elsewhere a line for each task.
class TrialProgress {
 public:
  TrialProgress(std::string_view name, std::size_t tasks, bool quiet)
      : name_(name), tasks_(tasks), quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}

  void update(std::uint32_t task, std::uint32_t runs) {
    runs_[task] = runs;
    if (quiet_ || !terminal_ || clock_.now() < drawn_ + std::chrono::milliseconds(100)) return;
    drawn_ = clock_.now();
    std::cerr << "\r" << line() << std::flush;
  }
  void task_done() {
    ++done_;
    if (quiet_ || terminal_ || tasks_ < 2) return;
    std::cerr << line() << '\n';
  }
  void clear() const {
    if (!quiet_ && terminal_) std::cerr << "\r\033[K" << std::flush;
  }
  base::Nanoseconds elapsed() const { return clock_.now() - started_; }

 private:
  std::string line() const {
    std::uint64_t all = 0;
    for (const auto& [task, runs] : runs_) all += runs;
    return std::format("labrun: {}: {} of {} parts done, {} queries asked, {} s", name_, done_,
                       tasks_, all,
                       std::chrono::duration_cast<std::chrono::seconds>(elapsed()).count());
  }

  std::string name_;
  std::size_t tasks_;
  bool quiet_;
  bool terminal_;
  base::SystemClock clock_;
  base::Instant started_ = clock_.now();
  base::Instant drawn_;
  std::size_t done_ = 0;
  std::map<std::uint32_t, std::uint32_t> runs_;
};

}  // namespace

Plan trial_plan(Plan plan) {
  plan.blocks.clear();
  plan.claims.clear();
  for (PlannedArm& arm : plan.arms) arm.path = without_chance(arm.path);
  return plan;
}

TrialCampaign::TrialCampaign(const CommandLine& command, const Image& image, Plan plan,
                             std::vector<TrialTask> tasks, const RunDirectory& directory)
    : command_(command),
      image_(image),
      plan_(std::move(plan)),
      tasks_(std::move(tasks)),
      directory_(directory) {
  for (std::size_t index = 0; index < tasks_.size(); ++index)
    plan_.blocks.push_back({.index = static_cast<std::uint32_t>(index),
                            .seed = tasks_[index].seed,
                            .queries = tasks_[index].queries});
  require_same_as_before();
  directory_.write("plan.json", plan_to_json(plan_));
  for (std::size_t index = 0; index < tasks_.size(); ++index) prepare(index, tasks_[index]);
}

fs::path TrialCampaign::results(std::size_t index) const {
  return directory_.block(static_cast<std::uint32_t>(index));
}

bool TrialCampaign::is_done(std::size_t index) const {
  return fs::exists(results(index) / kTrialFactsFile);
}

// What an earlier campaign left is of use only if it asked the same.
void TrialCampaign::require_same_as_before() const {
  const fs::path plan = directory_.path() / "plan.json";
  bool same = !fs::exists(plan) || base::read_file(plan) == plan_to_json(plan_);
  for (std::size_t index = 0; index < tasks_.size(); ++index) {
    const fs::path job = results(index) / kTrialJobFile;
    same = same && (!fs::exists(job) || base::read_file(job) == to_json(tasks_[index].job));
  }
  if (!same)
    throw BadInput(std::format("labrun: {} was begun with another scenario or other options",
                               directory_.path().string()));
}

void TrialCampaign::prepare(std::size_t index, const TrialTask& task) const {
  fs::create_directories(results(index));
  base::write_file_atomically(results(index) / kTrialJobFile, to_json(task.job));
}

CampaignEnd TrialCampaign::run(std::string_view name) {
  Plan left = plan_;
  std::erase_if(left.blocks, [&](const PlannedBlock& block) { return is_done(block.index); });
  if (left.blocks.empty()) return {};
  TrialProgress progress(name, left.blocks.size(), command_.quiet);
  BlockSchedule schedule(left, image_, directory_, command_.kernel,
                         {.on_message =
                              [&](std::uint32_t block, const BlockMessage& message) {
                                progress.update(block, message.queries_done);
                              },
                          .on_results = [&](const PlannedBlock&) { progress.task_done(); }});
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t jobs = command_.jobs.value_or(command_.kernel == KernelKind::kHost ? 1 : cores);
  const BlockSchedule::Ending ending = schedule.run(std::min(jobs, left.blocks.size()));
  progress.clear();
  return {
      .interrupted = ending.interrupted, .reason = ending.reason, .real_time = progress.elapsed()};
}

std::uint64_t TrialCampaign::runs() const {
  std::uint64_t runs = 0;
  for (std::size_t index = 0; index < tasks_.size(); ++index) {
    const auto facts = nlohmann::json::parse(base::read_file(results(index) / kTrialFactsFile));
    runs += facts.at("runs").get<std::uint64_t>();
  }
  return runs;
}

int report_failure(const CampaignEnd& end) {
  std::cerr << std::format("labrun: {}{}\n", end.interrupted ? "stopped by " : "", end.reason);
  return end.interrupted ? base::kExitInterrupted : base::kExitLabFailure;
}

TemporaryRun::TemporaryRun() : directory_(RunDirectory::create(folder_.path(), "trials")) {}

void TemporaryRun::keep_after(const CampaignEnd& end) {
  if (!end.reason.empty() && !end.interrupted) folder_.keep();
}

}  // namespace harness
