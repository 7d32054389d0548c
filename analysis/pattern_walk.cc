#include "analysis/pattern_walk.hh"

#include "analysis/repetition.hh"
#include "base/errors.hh"

#include <algorithm>
#include <utility>

namespace analysis {
namespace {

LossPattern with(LossPattern pattern, PacketName name) {
  pattern.insert(std::ranges::upper_bound(pattern, name), name);
  return pattern;
}

std::vector<PacketName> names_of(std::span<const RevealedPacket> packets) {
  std::vector<PacketName> names;
  for (const RevealedPacket& packet : packets) names.push_back(packet.name);
  return names;
}

}  // namespace

PatternWalk::PatternWalk(WalkConfig config, WalkCallbacks callbacks)
    : config_(config), callbacks_(std::move(callbacks)) {
  LABRUN_ASSERT(config_.share.index < config_.share.of);
  LABRUN_ASSERT(callbacks_.run && callbacks_.found && callbacks_.fault);
}

WalkSummary PatternWalk::walk() {
  summary_ = {};
  const auto root = visit({}, std::nullopt);
  if (!root) return summary_;
  if (config_.share.index == 0) report(*root);
  visit_children(*root);
  return summary_;
}

void PatternWalk::visit_children(const WalkedTrial& parent) {
  if (parent.trial.pattern.size() >= config_.max_drops) return;
  const bool is_root = parent.trial.pattern.empty();
  for (std::size_t position = parent.decided; position < parent.past.size(); ++position) {
    if (!summary_.complete) return;
    if (is_root && !is_of_share(position)) continue;
    visit_child({.parent = parent, .position = position});
  }
}

void PatternWalk::visit_child(const Step& step) {
  const PacketName dropped = step.parent.past[step.position].name;
  const auto child = visit(with(step.parent.trial.pattern, dropped), step);
  if (!child) return;
  report(*child);
  visit_children(*child);
}

std::optional<WalkedTrial> PatternWalk::visit(const LossPattern& pattern,
                                              const std::optional<Step>& step) {
  DeterminismFault fault{.pattern = pattern,
                         .parent = step ? step->parent.trial.packets : std::vector<TrialPacket>(),
                         .child = {},
                         .attempts = kMaxAttempts,
                         .difference = {}};
  // What the child must repeat, the new drop included.
  std::span<const RevealedPacket> decided;
  if (step) decided = std::span(step->parent.past).first(step->position + 1);
  for (std::size_t attempt = 1; attempt <= kMaxAttempts; ++attempt) {
    if (summary_.runs == config_.max_trials) {
      summary_.complete = false;
      return std::nullopt;
    }
    Trial trial = callbacks_.run(pattern);
    ++summary_.runs;
    auto difference = first_difference(
        {.pattern = pattern, .packets = fault.parent, .decided = decided}, trial, config_.times);
    if (!difference) {
      if (attempt > 1) ++summary_.helped;
      auto past = past_of(trial, config_.times, names_of(decided));
      return WalkedTrial{
          .trial = std::move(trial), .past = std::move(past), .decided = decided.size()};
    }
    fault.child = std::move(trial.packets);
    fault.difference = *std::move(difference);
  }
  ++summary_.faults;
  callbacks_.fault(fault);
  return std::nullopt;
}

void PatternWalk::report(const WalkedTrial& found) {
  ++summary_.found;
  callbacks_.found(found);
}

bool PatternWalk::is_of_share(std::size_t child) const {
  return child % config_.share.of == config_.share.index;
}

}  // namespace analysis
