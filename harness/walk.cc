#include "harness/walk.hh"

#include "base/errors.hh"
#include "base/version.hh"
#include "harness/exact_cell.hh"
#include "harness/manifest.hh"
#include "harness/scenario_error.hh"

#include <chrono>
#include <filesystem>
#include <format>
#include <iostream>
#include <utility>

namespace harness {
namespace {

void require_walkable(const CommandLine& command, const Plan& plan) {
  if (command.kernel == KernelKind::kHost)
    throw BadInput("labrun: losses are walked in virtual time; --kernel host has none");
  const std::vector<std::string> reasons = reasons_not_to_walk(plan);
  if (reasons.empty()) return;
  std::string text =
      std::format("labrun: {}: its losses cannot be walked:", command.scenario.string());
  for (const std::string& reason : reasons) text += "\n  " + reason;
  throw BadInput(text);
}

RunDirectory open_directory(const CommandLine& command, const Plan& plan, std::string_view name) {
  if (command.resume) {
    if (!std::filesystem::exists(*command.resume / "plan.json"))
      throw BadInput(
          std::format("labrun: --resume {}: no walk was begun there", command.resume->string()));
    return RunDirectory::reopen(*command.resume);
  }
  return RunDirectory::create(command.out, std::format("{}-{}", plan.scenario, name));
}

}  // namespace

Walk::Walk(const CommandLine& command, const Image& image, const Plan& plan,
           const std::string& scenario_text, std::string_view name)
    : command_((require_walkable(command, plan), command)),
      image_(image),
      plan_(plan),
      name_(name),
      directory_(open_directory(command, plan, name)) {
  // One that goes on has it already, and may yet turn out to have been begun with another.
  if (!command.resume) directory_.write("scenario.yaml", scenario_text);
}

std::optional<int> Walk::run(std::vector<TrialTask> tasks) {
  campaign_.emplace(command_, image_, trial_plan(plan_), std::move(tasks), directory_);
  const CampaignEnd end = campaign_->run(name_);
  real_time_ = end.real_time;
  if (end.reason.empty()) return std::nullopt;
  std::cerr << std::format("labrun: {}; go on with: {} --resume {}\n",
                           end.interrupted ? "stopped by " + end.reason : end.reason,
                           reproduce_command(command_, plan_.seed), shown_path(directory_.path()));
  return end.interrupted ? base::kExitInterrupted : base::kExitLabFailure;
}

void Walk::finish(std::string_view file, std::string_view text) const {
  directory_.write(file, text);
  directory_.hand_over();
}

ExactFacts Walk::facts(std::uint32_t max_drops, std::string_view file) const {
  return {.scenario = plan_.scenario,
          .seed = std::to_string(plan_.seed),
          .kernel = describe_kernel(command_.kernel, image_),
          .version = std::format("{} ({})", base::kVersion, image_.commit),
          .reproduce = reproduce_command(command_, plan_.seed),
          .directory = shown_path(directory_.path() / file),
          .max_drops = max_drops,
          .runs = campaign_->runs(),
          .real_seconds = std::chrono::duration<double>(real_time_).count()};
}

std::string describe(const ExactFacts& facts) {
  return labelled("walk",
                  std::format("{} queries asked in {:.1f} s of real time, {:.1f} ms each",
                              facts.runs, facts.real_seconds, facts.real_milliseconds_per_run())) +
         labelled("kernel", facts.kernel) + labelled("seed", facts.seed) +
         std::format("{:<14}{}\n", "reproduce", facts.reproduce) +
         std::format("{:<14}{}\n", "result", facts.directory);
}

}  // namespace harness
