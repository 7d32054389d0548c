#include "harness/recorded_query.hh"

#include "analysis/past.hh"
#include "analysis/query_analysis.hh"
#include "analysis/wording.hh"
#include "base/errors.hh"
#include "harness/block_analysis.hh"
#include "harness/query_setting.hh"
#include "harness/scenario_error.hh"
#include "harness/trial_campaign.hh"

#include <algorithm>
#include <format>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace harness {
namespace {

using analysis::End;
using analysis::SentPacket;
using base::Nanoseconds;
using captures::Verdict;

// Whether delay and rate of the direction do not say when a packet arrives. A packet that arrived
// spoilt has taken its time on the line; dropped by the script, it would leave that to others.
bool delays_by_script(const netns::OneWaySpec& spec, const PlannedArm& arm) {
  return spec.jitter != Nanoseconds(0) || spec.reorder || arm.gate.on ||
         (spec.rate && spec.corrupt != base::Probability());
}

netns::OneWaySpec replay_way(const netns::OneWaySpec& spec, const PlannedArm& arm) {
  netns::OneWaySpec way;
  way.delay = spec.delay;
  if (!delays_by_script(spec, arm)) {
    way.rate = spec.rate;
  } else {
    // A packet that netem reorders skips the delay.
    way.delay = spec.reorder ? Nanoseconds(0) : spec.delay - spec.jitter;
  }
  return way;
}

const netns::OneWaySpec& way_of(End from, const netns::PathSpec& path) {
  return from == End::kClient ? path.to_server : path.to_client;
}

bool is_lost(const SentPacket& packet) {
  // A copy beside the spoilt one was whole.
  return !packet.fate.arrived() || (packet.fate.corrupted && packet.fate.extra_copies == 0);
}

std::optional<Intervention> intervention_for(const SentPacket& packet, const PlannedArm& arm) {
  Intervention one{.packet = {.from = packet.from, .ordinal = packet.ordinal}};
  if (is_lost(packet)) return one;
  if (delays_by_script(way_of(packet.from, arm.path), arm)) {
    one.verdict = Verdict::kDelay;
    one.by = *packet.fate.delay - way_of(packet.from, replay_path(arm)).delay;
    if (one.by > analysis::kTimeTolerance) return one;
  }
  one.verdict = Verdict::kDuplicate;
  one.by = Nanoseconds(0);
  if (packet.fate.extra_copies > 0 && !packet.fate.corrupted) return one;
  return std::nullopt;
}

std::vector<RecordedPacket> packets_of(const analysis::Exchange& exchange) {
  std::vector<RecordedPacket> packets;
  packets.reserve(exchange.events.size());
  for (const analysis::PacketEvent& event : exchange.events)
    packets.push_back(
        {.name = {.from = event.from, .ordinal = event.ordinal},
         .at = Nanoseconds(event.sent_ns - exchange.events.front().sent_ns),
         .meaning = analysis::describe_packet(event.packet, analysis::Details::kShort)});
  return packets;
}

// Reads queries of one block after the other.
class RecordedReader {
 public:
  RecordedReader(const StoredRun& run, std::span<const std::string> ids)
      : run_(run), ids_(ids.begin(), ids.end()) {}

  std::map<std::string, RecordedQuery> read() {
    RecordReader reader(run_);
    for (auto records = reader.next_block(); !records.empty(); records = reader.next_block())
      if (std::ranges::any_of(records, [this](const auto& one) { return is_wanted(one); }))
        read_block(records);
    return std::move(found_);
  }

 private:
  bool is_wanted(const captures::QueryRecord& record) const { return ids_.contains(record.id); }

  void read_block(std::vector<captures::QueryRecord>& records) {
    const auto number = static_cast<std::uint32_t>(records.front().block);
    const Plan& plan = run_.plan();
    const PlannedBlock& block =
        *std::ranges::find(plan.blocks, number, &PlannedBlock::index);  // RecordReader has seen it
    const analysis::BlockEvidence evidence = read_evidence(plan, run_.captures(), number, records);
    const analysis::SecretStore secrets = analysis::secrets_of(evidence);
    const analysis::SettingOf setting_of = settings_of(plan, run_.kernel());
    for (std::size_t index = 0; index < records.size(); ++index) {
      const captures::QueryRecord& record = records[index];
      if (!is_wanted(record)) continue;
      const auto planned = std::ranges::find(block.queries, record.id, &PlannedQuery::id);
      if (planned == block.queries.end())
        throw base::LabError(std::format("read query {}: the plan does not have it", record.id));
      const auto& packets = evidence.queries[index];
      found_[record.id] = {
          .record = record,
          .planned = *planned,
          .kernel_seed = block.seed,
          .script = script_of(packets, plan.arms.at(plan.cells.at(planned->cell).arm)),
          .lost = losses_of(packets),
          .packets = packets_of(
              analysis::exchange_of(evidence, index, record, secrets, setting_of(record)))};
    }
  }

  const StoredRun& run_;
  std::set<std::string> ids_;
  std::map<std::string, RecordedQuery> found_;
};

}  // namespace

FateScript script_of(std::span<const SentPacket> packets, const PlannedArm& arm) {
  FateScript script;
  for (const SentPacket& packet : packets)
    if (const auto one = intervention_for(packet, arm)) script.push_back(*one);
  std::ranges::sort(script, {}, &Intervention::packet);
  return script;
}

bool replays_by_seed(const PlannedArm& arm) {
  const auto draws_times = [](const netns::OneWaySpec& spec) {
    return spec.jitter != Nanoseconds(0) || spec.reorder.has_value();
  };
  return !arm.gate.on && (draws_times(arm.path.to_server) || draws_times(arm.path.to_client));
}

netns::PathSpec replay_path(const PlannedArm& arm) {
  return {.to_server = replay_way(arm.path.to_server, arm),
          .to_client = replay_way(arm.path.to_client, arm)};
}

analysis::LossPattern losses_of(std::span<const SentPacket> packets) {
  analysis::LossPattern lost;
  for (const SentPacket& packet : packets)
    if (is_lost(packet)) lost.push_back({.from = packet.from, .ordinal = packet.ordinal});
  std::ranges::sort(lost);
  return lost;
}

Plan scripted_plan(const Plan& plan) {
  Plan scripted = trial_plan(plan);
  for (PlannedArm& arm : scripted.arms) arm.gate = {};
  return scripted;
}

Plan replay_plan(const Plan& plan) {
  Plan replayed = scripted_plan(plan);
  for (std::size_t arm = 0; arm < replayed.arms.size(); ++arm)
    replayed.arms[arm].path =
        replays_by_seed(plan.arms[arm]) ? plan.arms[arm].path : replay_path(plan.arms[arm]);
  return replayed;
}

void require_virtual_time(const StoredRun& run, std::string_view command) {
  if (run.kernel() == KernelKind::kLab) return;
  throw BadInput(
      std::format("labrun: {} is a run in real time (--kernel host); {} takes one in virtual time, "
                  "for only there the same happens again",
                  run.path().string(), command));
}

std::vector<RecordedQuery> read_recorded(const StoredRun& run, std::span<const std::string> ids) {
  std::map<std::string, RecordedQuery> found = RecordedReader(run, ids).read();
  std::vector<RecordedQuery> queries;
  for (const std::string& id : ids) {
    const auto query = found.find(id);
    if (query == found.end())
      throw base::LabError(std::format("read query {}: it is not in the run", id));
    if (const auto& client = query->second.record.client)
      throw BadInput(
          std::format("labrun: {} was asked by {}, whose answers are timed by captures; "
                      "only labquery's queries can be asked again",
                      id, client->program));
    queries.push_back(std::move(query->second));
  }
  return queries;
}

}  // namespace harness
