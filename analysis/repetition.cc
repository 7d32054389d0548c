#include "analysis/repetition.hh"

#include <algorithm>
#include <format>

namespace analysis {
namespace {

using Difference = std::optional<std::string>;

std::string in_milliseconds(base::Nanoseconds time) {
  return std::format("{:.3f} ms", std::chrono::duration<double, std::milli>(time).count());
}

Difference difference_of(const TrialPacket& was, bool is_to_be_dropped, const Trial& trial) {
  const std::string name = to_string(was.name);
  const auto is = std::ranges::find(trial.packets, was.name, &TrialPacket::name);
  if (is == trial.packets.end()) return std::format("{} [{}] was never sent", name, was.signature);
  if (is->signature != was.signature)
    return std::format("{} was [{}], is [{}]", name, was.signature, is->signature);
  if (is->dropped != is_to_be_dropped)
    return std::format("{} was {}", name, is->dropped ? "dropped" : "not dropped");
  if (std::chrono::abs(is->at - was.at) > kTimeTolerance)
    return std::format("{} was sent at {}, now at {}", name, in_milliseconds(was.at),
                       in_milliseconds(is->at));
  return std::nullopt;
}

// A drop that nobody asked for.
Difference stray_drop(const Trial& trial, const LossPattern& pattern) {
  const auto stray = std::ranges::find_if(trial.packets, [&](const TrialPacket& packet) {
    return packet.dropped && !std::ranges::contains(pattern, packet.name);
  });
  if (stray == trial.packets.end()) return std::nullopt;
  return std::format("{} was dropped unasked", to_string(stray->name));
}

// What happened before the new drop could make a difference, but not in the parent.
Difference happened_early(std::span<const RevealedPacket> decided, const Trial& trial,
                          const PathTimes& times) {
  // The new drop and what is compared with it may each have moved.
  constexpr base::Nanoseconds kSlack = 2 * kTimeTolerance;
  const PacketName drop = decided.back().name;
  const auto order = in_order_of_influence(trial, times);
  const auto dropped = std::ranges::find(order, drop, &RevealedPacket::name);
  for (auto packet = order.begin(); packet != dropped; ++packet) {
    if (std::ranges::contains(decided, packet->name, &RevealedPacket::name)) continue;
    // Of one end, so that it took the place of one that the parent sent; or far too early.
    if (packet->name.from == drop.from || dropped->key - packet->key > kSlack)
      return std::format("{} [{}] came before {}", to_string(packet->name),
                         trial.packets[packet->index].signature, to_string(drop));
  }
  if (trial.time && dropped->key - *trial.time > kSlack + kAnswerWork)
    return std::format("the answer came at {}, before {} could matter at {}",
                       in_milliseconds(*trial.time), to_string(drop),
                       in_milliseconds(dropped->key));
  return std::nullopt;
}

}  // namespace

Difference first_difference(const ExpectedRepetition& expected, const Trial& trial,
                            const PathTimes& times) {
  if (trial.pattern != expected.pattern)
    return std::format("the trial is of another pattern: {}", to_string(trial.pattern));
  for (const RevealedPacket& packet : expected.decided) {
    const bool is_to_be_dropped = std::ranges::contains(expected.pattern, packet.name);
    auto difference = difference_of(expected.packets[packet.index], is_to_be_dropped, trial);
    if (difference) return difference;
  }
  if (auto difference = stray_drop(trial, expected.pattern)) return difference;
  if (expected.decided.empty()) return std::nullopt;
  return happened_early(expected.decided, trial, times);
}

}  // namespace analysis
