#include "harness/server_probe_run.hh"

#include "analysis/query_analysis.hh"
#include "base/file_descriptor.hh"
#include "harness/block_analysis.hh"
#include "harness/block_run.hh"
#include "harness/block_schedule.hh"
#include "harness/plan_json.hh"
#include "harness/query_setting.hh"
#include "harness/server_probe.hh"
#include "harness/trial_campaign.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <format>
#include <thread>
#include <utility>

namespace harness {
namespace {

namespace fs = std::filesystem;

// One server while it is probed.
class ProbeRun {
 public:
  ProbeRun(const std::string& name, const Image& image) : image_(image), probes_(probes_of(name)) {
    for (const PlannedCell& cell : plan().cells)
      result_.cells.push_back(
          {.probe = probes_.of_arm.at(cell.arm), .transport = cell.transport, .floor = cell.floor});
  }

  ProbedServer run(std::size_t jobs) {
    directory().write("plan.json", plan_to_json(plan()));
    BlockSchedule schedule(
        plan(), image_, directory(), KernelKind::kLab,
        {.on_message = [](std::uint32_t, const BlockMessage&) {},
         .on_results = [this](const PlannedBlock& block) { take_over(block); },
         .on_failure = [this](const PlannedBlock& block,
                              const std::string& failure) { take_failure(block, failure); }});
    result_.stopped_by = schedule.run(std::min(jobs, plan().blocks.size())).reason;
    return std::move(result_);
  }

 private:
  const Plan& plan() const { return probes_.plan; }
  const RunDirectory& directory() const { return temporary_.directory(); }

  void take_failure(const PlannedBlock& block, const std::string& failure) {
    // "block 0: " means nothing to whoever reads the table.
    const std::string prefix = std::format("block {}: ", block.index);
    const std::string reason =
        failure.starts_with(prefix) ? failure.substr(prefix.size()) : failure;
    for (const PlannedQuery& query : block.queries)
      result_.cells.at(query.cell).failure = reason.substr(0, reason.find('\n'));
    // Whoever is sent to a log shall find it.
    if (reason.contains(directory().path().string())) temporary_.keep_after({.reason = reason});
  }

  void take_over(const PlannedBlock& block) {
    const fs::path results = directory().block(block.index);
    std::vector<captures::QueryRecord> records = read_records(results / kRecordsFile);
    const analysis::BlockEvidence evidence = read_evidence(plan(), results, block.index, records);
    const analysis::SecretStore secrets = analysis::secrets_of(evidence);
    const analysis::SettingOf setting_of = settings_of(plan(), KernelKind::kLab);
    for (std::size_t index = 0; index < records.size(); ++index) {
      captures::QueryRecord& record = records[index];
      const auto cell = std::ranges::find(plan().cells, record.cell, &PlannedCell::name);
      ProbedCell& probed = result_.cells.at(static_cast<std::size_t>(cell - plan().cells.begin()));
      const analysis::Exchange exchange =
          analysis::exchange_of(evidence, index, record, secrets, setting_of(record));
      // Only the query's own connection has a ticket to offer.
      probed.resumed += static_cast<std::size_t>(std::ranges::any_of(
          exchange.conversations, [](const analysis::ConversationFacts& conversation) {
            return conversation.handshake.accepted_session_ticket;
          }));
      probed.records.push_back(std::move(record));
    }
    read_version(results / kFactsFile);
  }

  void read_version(const fs::path& file) {
    const nlohmann::json facts = nlohmann::json::parse(base::read_file(file));
    for (const nlohmann::json& endpoint : facts.at("endpoints"))
      for (const auto& entry : endpoint.at("ready").at("versions").items())
        // Not that of what stands behind a front.
        if (entry.key() == plan().arms.front().server)
          result_.version = entry.value().get<std::string>();
  }

  const Image& image_;
  ServerProbes probes_;
  TemporaryRun temporary_;
  ProbedServer result_;
};

}  // namespace

ProbedServer probe_server(const std::string& name, const Image& image,
                          std::optional<std::uint32_t> jobs) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return ProbeRun(name, image).run(jobs.value_or(static_cast<std::uint32_t>(cores)));
}

}  // namespace harness
