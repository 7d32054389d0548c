#include "analysis/past.hh"

#include "base/errors.hh"

#include <algorithm>

namespace analysis {
namespace {

using Packets = std::vector<RevealedPacket>;

base::Nanoseconds key_of(const TrialPacket& packet, const PathTimes& times) {
  const base::Nanoseconds to_client = packet.at + times.to_client;
  return packet.name.from == End::kClient ? to_client + times.to_server : to_client;
}

// How much earlier a packet is ranked than its key says. Half a round trip keeps what the client
// sent in reply behind what it replies to.
base::Nanoseconds head_start(PacketName name, const PathTimes& times) {
  if (name.from == End::kServer) return base::Nanoseconds(0);
  return std::min(kTimeTolerance, (times.to_server + times.to_client) / 2);
}

base::Nanoseconds rank_of(const RevealedPacket& packet, const PathTimes& times) {
  return packet.key - head_start(packet.name, times);
}

// Behind the packet that completed the answer, if there is one.
std::optional<Packets::const_iterator> behind_answer(const Packets& order, const Trial& trial) {
  std::optional<Packets::const_iterator> found;
  for (auto packet = order.begin(); packet != order.end(); ++packet) {
    const TrialPacket& sent = trial.packets[packet->index];
    if (!sent.completes_answer || sent.dropped || sent.name.from != End::kServer) continue;
    const base::Nanoseconds work = *trial.time - packet->key;
    if (work > kAnswerWork || work < -kTimeTolerance) continue;
    // Clocks that differ by microseconds show it behind the answer; only then, the first is it.
    if (work < base::Nanoseconds(0) && found) break;
    found = packet + 1;
  }
  return found;
}

Packets::const_iterator end_of_past(const Packets& order, const Trial& trial,
                                    const PathTimes& times) {
  if (trial.time) {
    if (const auto found = behind_answer(order, trial)) return *found;
  }
  const base::Nanoseconds last = trial.time.value_or(times.timeout) + kTimeTolerance;
  return std::ranges::find_if(
      order, [&](const RevealedPacket& packet) { return rank_of(packet, times) > last; });
}

}  // namespace

Packets in_order_of_influence(const Trial& trial, const PathTimes& times) {
  Packets order;
  order.reserve(trial.packets.size());
  for (std::size_t index = 0; index < trial.packets.size(); ++index) {
    const TrialPacket& packet = trial.packets[index];
    order.push_back({.name = packet.name,
                     .key = key_of(packet, times),
                     .dropped = packet.dropped,
                     .index = index});
  }
  const auto precedes = [&](const RevealedPacket& left, const RevealedPacket& right) {
    const base::Nanoseconds left_rank = rank_of(left, times);
    const base::Nanoseconds right_rank = rank_of(right, times);
    if (left_rank != right_rank) return left_rank < right_rank;
    return left.name.from < right.name.from;
  };
  std::ranges::stable_sort(order, precedes);
  return order;
}

Packets past_of(const Trial& trial, const PathTimes& times, std::span<const PacketName> decided) {
  const Packets order = in_order_of_influence(trial, times);
  Packets past;
  for (const PacketName name : decided) {
    const auto found = std::ranges::find(order, name, &RevealedPacket::name);
    LABRUN_ASSERT(found != order.end());
    past.push_back(*found);
  }
  const auto end = end_of_past(order, trial, times);
  for (auto packet = order.begin(); packet != end; ++packet)
    if (!std::ranges::contains(decided, packet->name)) past.push_back(*packet);
  return past;
}

std::vector<PacketName> misplaced_drops(const Trial& trial, std::span<const RevealedPacket> past) {
  std::vector<PacketName> misplaced;
  for (const PacketName name : trial.pattern) {
    const auto found = std::ranges::find(past, name, &RevealedPacket::name);
    if (found == past.end() || !found->dropped) misplaced.push_back(name);
  }
  for (const TrialPacket& packet : trial.packets)
    if (packet.dropped && !std::ranges::contains(trial.pattern, packet.name))
      misplaced.push_back(packet.name);
  std::ranges::sort(misplaced);
  return misplaced;
}

PatternCounts counts_of(std::span<const RevealedPacket> past) {
  PatternCounts counts;
  for (const RevealedPacket& packet : past) {
    Fates& fates = packet.name.from == End::kClient ? counts.client : counts.server;
    ++(packet.dropped ? fates.dropped : fates.passed);
  }
  return counts;
}

}  // namespace analysis
