#include "harness/run.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "base/text.hh"
#include "captures/block_capture.hh"
#include "harness/block_analysis.hh"
#include "harness/block_run.hh"
#include "harness/block_schedule.hh"
#include "harness/fidelity.hh"
#include "harness/gate_report.hh"
#include "harness/gate_tally.hh"
#include "harness/manifest.hh"
#include "harness/plan_json.hh"
#include "harness/progress.hh"
#include "harness/run_directory.hh"
#include "harness/run_figures.hh"
#include "harness/scenario_error.hh"
#include "harness/server_releases.hh"
#include "harness/table.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <format>
#include <iostream>
#include <iterator>
#include <thread>
#include <unistd.h>
#include <utility>

namespace harness {
namespace {

namespace fs = std::filesystem;

Progress::Style progress_style(const CommandLine& command) {
  if (command.quiet) return Progress::Style::kSilent;
  return ::isatty(STDERR_FILENO) != 0 ? Progress::Style::kTerminal : Progress::Style::kLines;
}

std::size_t block_jobs(const CommandLine& command, const Plan& plan) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  // In real time blocks would disturb each other: one at a time unless somebody insists.
  const std::size_t wanted = command.jobs.value_or(command.kernel == KernelKind::kHost ? 1 : cores);
  return std::min(wanted, plan.blocks.size());
}

// One run from its directory to its table.
class Run {
 public:
  Run(const CommandLine& command, const Image& image, const Plan& plan, std::string scenario_text)
      : command_(command),
        plan_(plan),
        directory_(RunDirectory::create(command.out, plan.scenario)),
        progress_(plan, std::cerr, progress_style(command), clock_),
        started_(clock_.now()),
        manifest_{.command = command,
                  .image = image,
                  .plan = plan,
                  .scenario_text = std::move(scenario_text)} {}

  int execute() {
    try {
      return measure();
    } catch (const std::exception& error) {
      progress_.clear();
      mark_incomplete(base::describe_nested(error));
      throw;
    }
  }

 private:
  int measure() {
    directory_.write("scenario.yaml", manifest_.scenario_text);
    directory_.write("plan.json", plan_to_json(plan_));
    write_manifest();
    announce();
    BlockSchedule schedule(plan_, manifest_.image, directory_, command_.kernel,
                           {.on_message =
                                [this](std::uint32_t block, const BlockMessage& message) {
                                  progress_.update(block, message.queries_done, message.elapsed);
                                },
                            .on_results = [this](const PlannedBlock& block) { take_over(block); }});
    const BlockSchedule::Ending ending = schedule.run(block_jobs(command_, plan_));
    progress_.clear();
    return ending.reason.empty() ? conclude() : give_up(ending);
  }

  void announce() const {
    if (command_.quiet) return;
    std::cerr << std::format("seed {}, labrun {}, {} kernel\n", plan_.seed, manifest_.image.commit,
                             describe_kernel(command_.kernel, manifest_.image));
  }

  void write_manifest() {
    manifest_.real_time = clock_.now() - started_;
    directory_.write("manifest.json", to_json_text(manifest_));
  }

  // Moves a block's results to where they stay, and accounts and judges them.
  void take_over(const PlannedBlock& block) {
    const fs::path results = directory_.block(block.index);
    std::vector<captures::QueryRecord> records = read_records(results / kRecordsFile);
    for (const char* end : {"client", "server"})
      fs::rename(captures::block_capture_path(results, block.index, end),
                 captures::block_capture_path(directory_.captures(), block.index, end));
    BlockAnalysis analysed =
        analyse_block(plan_, command_.kernel, directory_.captures(), block.index, records);
    BlockResult result{.facts = base::read_file(results / kFactsFile),
                       .account = std::move(analysed.account),
                       .distrust = {}};
    nlohmann::json facts = nlohmann::json::parse(result.facts);
    // By far the largest part, and the same in every block.
    if (manifest_.network.empty()) manifest_.network = facts.at("network").dump();
    facts.erase("network");
    if (!facts.at("gate").is_null()) {
      gate_.add(facts.at("gate").at("rules"));
      std::ranges::copy(analysed.gate_delays, std::back_inserter(gate_delays_));
      manifest_.gate = gate_json(gate_, gate_delays_).dump();
    }
    result.facts = facts.dump();
    result.distrust =
        reasons_to_distrust(plan_, {.facts = facts,
                                    .account = result.account,
                                    .records = records,
                                    .virtual_time = command_.kernel == KernelKind::kLab});
    for (const auto& entry : fs::directory_iterator(results))
      if (entry.path().extension() == ".log")
        fs::rename(entry.path(), directory_.logs() / std::format("{}-{}", block_name(block.index),
                                                                 entry.path().filename().string()));
    keep_server_files(results);
    const bool valid = result.distrust.empty();
    manifest_.blocks[block.index] = std::move(result);
    base::write_file_atomically(results / kRecordsFile, to_lines(records));
    const fs::path fates = results / kPacketFatesFile;
    waiting_[block.index] = {.records = std::move(records),
                             .fates = fs::exists(fates) ? base::read_file(fates) : std::string(),
                             .findings = std::move(analysed.findings)};
    take_over_in_order();
    write_manifest();
    progress_.block_finished(block.index, valid);
  }

  // What servers were told, and which they are. The same in each block but for what is made anew
  // with the certificate, so the first one's are kept.
  void keep_server_files(const fs::path& results) {
    for (std::size_t arm = 0; arm < plan_.arms.size(); ++arm) {
      const fs::path files = results / std::format("server-{}", arm);
      const fs::path place = directory_.path() / "servers" / std::to_string(arm);
      if (!fs::exists(files) || fs::exists(place)) continue;
      fs::create_directories(place.parent_path());
      fs::rename(files, place);
    }
  }

  // queries.jsonl has the order of the plan, whatever block ended first. A block that must wait for
  // an earlier one keeps its records in its own folder until then.
  void take_over_in_order() {
    for (auto next = waiting_.find(written_); next != waiting_.end();
         next = waiting_.find(written_)) {
      directory_.append("queries.jsonl", to_lines(next->second.records));
      if (!next->second.fates.empty()) directory_.append("packets.jsonl", next->second.fates);
      if (manifest_.blocks.at(written_).distrust.empty())
        figures_.add(next->second.records, next->second.findings);
      waiting_.erase(next);
      fs::remove_all(directory_.block(written_));
      ++written_;
    }
  }

  int conclude() {
    manifest_.summary = figures_.summary();
    figures_.write(directory_.path());
    write_manifest();
    directory_.hand_over();
    return report_figures(figures_, plan_, run_facts(), table_colors(command_.color),
                          manifest_.valid());
  }

  // Never throws: what is being reported matters more than a manifest that cannot be written.
  void mark_incomplete(const std::string& reason) noexcept {
    try {
      manifest_.stopped_by = reason;
      write_manifest();
    } catch (const std::exception& error) {
      std::cerr << "labrun: " << base::describe_nested(error) << '\n';
    }
    directory_.hand_over();
  }

  int give_up(const BlockSchedule::Ending& ending) {
    mark_incomplete(ending.reason);
    std::cerr << std::format("labrun: {}; {} of {} blocks are in {}, which is marked incomplete\n",
                             ending.interrupted ? "stopped by " + ending.reason : ending.reason,
                             manifest_.blocks.size(), plan_.blocks.size(),
                             directory_.path().string());
    return ending.interrupted ? base::kExitInterrupted : base::kExitLabFailure;
  }

  RunFacts run_facts() const {
    std::string all_versions;
    for (const auto& [name, version] : versions(manifest_))
      all_versions += std::format("{}{} {}", all_versions.empty() ? "" : ", ", name, version);
    return {.seed = std::to_string(plan_.seed),
            .kernel = describe_kernel(command_.kernel, manifest_.image),
            .versions = all_versions,
            .reproduce = reproduce_command(command_, plan_.seed),
            .run_directory = shown_path(directory_.path()),
            .validity = describe_invalid_blocks(),
            .gate = gate_text(gate_, gate_delays_),
            .server_ends = server_ends_text(manifest_)};
  }

  std::string describe_invalid_blocks() const {
    std::string text;
    for (const auto& [index, result] : manifest_.blocks)
      if (!result.distrust.empty())
        text +=
            std::format("{}block {}: {}", text.empty() ? "" : "\n", index, result.distrust.front());
    return text;
  }

  const CommandLine& command_;
  const Plan& plan_;
  RunDirectory directory_;
  base::SystemClock clock_;
  Progress progress_;
  base::Instant started_;
  Manifest manifest_;
  // A block that is done, until those before it are.
  struct WaitingBlock {
    std::vector<captures::QueryRecord> records;
    std::string fates;  // of the packet gate, lines
    analysis::FindingCollection findings;
  };
  std::map<std::uint32_t, WaitingBlock> waiting_;
  std::uint32_t written_ = 0;  // blocks in queries.jsonl
  RunFigures figures_{plan_};
  GateTally gate_{plan_};
  std::vector<base::Nanoseconds> gate_delays_;
};

// They are programs of the lab root, which is the root of a lab kernel only.
void refuse_programs_of_the_root(const Plan& plan) {
  const auto refuse = [](std::string_view program, std::string_view ours) {
    if (program == ours) return;
    throw BadInput(std::format(
        "labrun: --kernel host: {} runs in the lab kernel only; {} runs in both", program, ours));
  };
  for (const PlannedArm& arm : plan.arms) {
    refuse(arm.server, kLabServer);
    refuse(arm.client.program, kLabClient);
  }
}

}  // namespace

int run(const CommandLine& command, const Image& image, const Plan& plan,
        const std::string& scenario_text) {
  if (command.kernel == KernelKind::kHost) refuse_programs_of_the_root(plan);
  if (command.kernel == KernelKind::kLab && image.kernel.empty())
    throw base::LabError(
        "start the lab kernel: this image has none (labrun doctor says why); --kernel host works "
        "as root");
  if (const auto problem = memory_folder_problem(memory_folder());
      problem && command.kernel == KernelKind::kLab)
    throw base::LabError("start the lab kernel: " + *problem +
                         "; set TMPDIR to a folder on an executable tmpfs");
  // What has to be built first, and may fail, comes before the run directory.
  release_roots(plan, image);
  return Run(command, image, plan, scenario_text).execute();
}

}  // namespace harness
