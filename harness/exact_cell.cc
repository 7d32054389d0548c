#include "harness/exact_cell.hh"

#include "analysis/past.hh"
#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "harness/block_network.hh"
#include "harness/trial_store.hh"

#include <algorithm>
#include <format>
#include <set>
#include <sstream>
#include <variant>

namespace harness {
namespace {

namespace fs = std::filesystem;

// A walk of two drops takes seconds, one of three minutes; a kernel's start takes most of one.
constexpr std::uint32_t kSharesOfShallowWalks = 2;
constexpr std::uint32_t kSharesOfDeepWalks = 8;
constexpr std::uint32_t kDeepWalk = 3;

double loss_of(const netns::OneWaySpec& way) {
  const auto* random = std::get_if<netns::RandomLoss>(&way.loss);
  return random == nullptr ? 0 : random->probability.value();
}

// The query that stands for all of its cell.
PlannedQuery first_query(const Plan& plan, std::uint32_t cell) {
  for (const PlannedBlock& block : plan.blocks)
    for (const PlannedQuery& query : block.queries)
      if (query.cell == cell) return query;
  throw base::LabError(std::format("walk {}: it has no query", plan.cells.at(cell).name));
}

std::vector<nlohmann::json> read_faults(const fs::path& file) {
  std::vector<nlohmann::json> faults;
  std::istringstream lines(base::read_file(file));
  for (std::string line; std::getline(lines, line);) faults.push_back(nlohmann::json::parse(line));
  return faults;
}

analysis::Trial lossless_trial(const fs::path& results) {
  for (analysis::Trial& trial : read_trials(results / kTrialsFile))
    if (trial.pattern.empty()) return std::move(trial);
  throw base::LabError(std::format("read {}: no lossless trial", results.string()));
}

void require_same(const analysis::Trial& first, const analysis::Trial& other,
                  const std::string& cell) {
  const auto signatures = [](const analysis::Trial& trial) {
    std::vector<std::pair<analysis::PacketName, std::string>> list;
    list.reserve(trial.packets.size());
    for (const analysis::TrialPacket& packet : trial.packets)
      list.emplace_back(packet.name, packet.signature);
    std::ranges::sort(list);
    return list;
  };
  if (signatures(first) != signatures(other))
    throw base::LabError(std::format(
        "walk {}: two kernels saw different packets in the lossless exchange, so their shares of "
        "the walk do not fit together",
        cell));
}

void add_results(const fs::path& results, ExactCell& cell) {
  const analysis::Trial lossless = lossless_trial(results);
  if (cell.leaves.empty()) {
    cell.lossless = lossless;
  } else {
    require_same(cell.lossless, lossless, cell.planned.name);
  }
  std::ranges::move(read_leaves(results / kLeavesFile), std::back_inserter(cell.leaves));
  std::ranges::move(read_faults(results / kFaultsFile), std::back_inserter(cell.faults));
  const auto facts = nlohmann::json::parse(base::read_file(results / kTrialFactsFile));
  cell.helped += facts.at("helped").get<std::uint64_t>();
}

void reject_chance(const std::string& cell, const char* direction, const netns::OneWaySpec& way,
                   std::vector<std::string>& reasons) {
  const auto reject = [&](bool there, const char* what) {
    if (there) reasons.push_back(std::format("{}, {}: {}", cell, direction, what));
  };
  reject(std::holds_alternative<netns::GilbertElliottLoss>(way.loss),
         "losses in bursts are not independent of each other");
  reject(way.jitter > base::Nanoseconds(0), "jitter");
  reject(way.reorder.has_value(), "random reordering");
  reject(way.duplicate.value() > 0, "random duplicates");
  reject(way.corrupt.value() > 0, "random corruption");
  reject(way.limit != 0, "a queue that may overflow");
}

}  // namespace

std::size_t ExactCell::packets_in_past() const {
  return analysis::past_of(lossless, times).size();
}

analysis::ExactDistribution ExactCell::distribution(const analysis::LossRates& at) const {
  std::vector<analysis::Leaf> plain;
  plain.reserve(leaves.size());
  for (const WalkedLeaf& walked : leaves) plain.push_back(walked.leaf);
  return {plain, at, planned.floor};
}

std::uint32_t walk_shares(std::uint32_t max_drops) {
  if (max_drops == 0) return 1;
  return max_drops < kDeepWalk ? kSharesOfShallowWalks : kSharesOfDeepWalks;
}

std::vector<TrialTask> walk_tasks(const Plan& plan, std::uint32_t max_drops) {
  std::vector<TrialTask> tasks;
  const std::uint32_t shares = walk_shares(max_drops);
  for (std::uint32_t cell = 0; cell < plan.cells.size(); ++cell) {
    for (std::uint32_t share = 0; share < shares; ++share) {
      TrialJob job;
      job.kind = TrialJob::Kind::kWalk;
      job.max_drops = max_drops;
      job.share = share;
      job.shares = shares;
      // One seed: all of them are the same kernel with the same certificates.
      tasks.push_back({.job = std::move(job),
                       .queries = {first_query(plan, cell)},
                       .seed = plan.blocks.front().seed});
    }
  }
  return tasks;
}

std::vector<ExactCell> collect_cells(const Plan& sampled, const TrialCampaign& campaign,
                                     std::uint32_t max_drops) {
  std::vector<ExactCell> cells;
  const std::uint32_t shares = walk_shares(max_drops);
  for (std::size_t number = 0; number < sampled.cells.size(); ++number) {
    const PlannedArm& arm = sampled.arms[sampled.cells[number].arm];
    ExactCell cell{
        .planned = sampled.cells[number],
        .times = path_times(arm),
        .rates = {.client = loss_of(arm.path.to_server), .server = loss_of(arm.path.to_client)},
        .lossless = {},
        .leaves = {},
        .faults = {},
        .helped = 0};
    for (std::size_t share = 0; share < shares; ++share)
      add_results(campaign.results(number * shares + share), cell);
    cells.push_back(std::move(cell));
  }
  return cells;
}

std::vector<std::string> reasons_not_to_walk(const Plan& plan) {
  std::vector<std::string> reasons;
  for (const PlannedArm& arm : plan.arms) {
    const std::string name = arm.name.empty() ? "the path" : arm.name;
    reject_chance(name, "client to server", arm.path.to_server, reasons);
    reject_chance(name, "server to client", arm.path.to_client, reasons);
    if (!arm.gate.rules.empty())
      reasons.push_back(
          std::format("{}: rules of the gate; here every packet has its turn to be lost", name));
    if (arm.client.program != kLabClient)
      reasons.push_back(
          std::format("{}: asked by {}, whose answers are timed by captures; a walk takes none",
                      name, arm.client.program));
  }
  return reasons;
}

}  // namespace harness
