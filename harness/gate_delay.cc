#include "harness/gate_delay.hh"

#include <algorithm>

namespace harness {
namespace {

bool holds_up(const netns::OneWaySpec& way) {
  return way.rate || way.jitter > base::Nanoseconds(0) || way.reorder;
}

bool holds_up(const GateRule& rule) {
  return rule.verdict == captures::Verdict::kDelay || rule.verdict == captures::Verdict::kReorder;
}

bool is_judgeable(const PlannedArm& arm) {
  return arm.gate.on && !holds_up(arm.path.to_server) && !holds_up(arm.path.to_client) &&
         std::ranges::none_of(arm.gate.rules, [](const GateRule& rule) { return holds_up(rule); });
}

}  // namespace

std::vector<base::Nanoseconds> gate_delays(const Plan& plan,
                                           const analysis::BlockEvidence& evidence,
                                           std::span<const captures::QueryRecord> records) {
  std::vector<base::Nanoseconds> delays;
  for (std::size_t index = 0; index < records.size(); ++index) {
    const auto cell = std::ranges::find(plan.cells, records[index].cell, &PlannedCell::name);
    if (cell == plan.cells.end() || !is_judgeable(plan.arms[cell->arm])) continue;
    const netns::PathSpec& path = plan.arms[cell->arm].path;
    for (const analysis::SentPacket& sent : evidence.queries[index])
      if (sent.fate.delay)
        delays.push_back(*sent.fate.delay - (sent.from == analysis::End::kClient
                                                 ? path.to_server.delay
                                                 : path.to_client.delay));
  }
  return delays;
}

std::optional<GateDelay> summarise(std::vector<base::Nanoseconds> delays) {
  if (delays.empty()) return std::nullopt;
  std::ranges::sort(delays);
  return GateDelay{.median = delays[(delays.size() - 1) / 2], .longest = delays.back()};
}

}  // namespace harness
