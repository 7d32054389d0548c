#include "harness/loss_map.hh"

#include "base/text.hh"
#include "base/units.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <format>
#include <ranges>
#include <utility>

namespace harness {
namespace {

using analysis::End;
using analysis::PacketName;
using base::Nanoseconds;
using Json = nlohmann::ordered_json;

constexpr std::size_t kShownPairs = 8;
// Costs below it are work, which is free in virtual time but for clock readings.
constexpr Nanoseconds kNothing = std::chrono::microseconds(500);

bool is_worse(const MappedCost& left, const MappedCost& right) {
  if (!left.time || !right.time) return !left.time && right.time;
  return *left.time > *right.time;
}

std::string cost_text(const MappedCost& cost, const LossMap& map) {
  if (!cost.time) return "never";
  const Nanoseconds added = *cost.time - map.lossless.value_or(Nanoseconds(0));
  if (std::chrono::abs(added) < kNothing) return "nothing";
  return std::format("{:+.1f} ms", std::chrono::duration<double, std::milli>(added).count());
}

Ink ink_of(const MappedCost& cost, const LossMap& map) {
  if (!cost.time) return Ink::kBad;
  const Nanoseconds added = *cost.time - map.lossless.value_or(Nanoseconds(0));
  return added < kNothing ? Ink::kFaint : Ink::kPlain;
}

std::string packet_line(const MappedPacket& mapped, const LossMap& map, Colors colors) {
  const analysis::TrialPacket& packet = mapped.packet;
  const Ink ink = mapped.alone ? ink_of(*mapped.alone, map) : Ink::kFaint;
  const std::string missing = mapped.unknown ? "unknown" : "too late";
  const std::string cost = mapped.alone ? cost_text(*mapped.alone, map) : missing;
  return std::format("{:9.3f}  {} {:<4} ",
                     std::chrono::duration<double, std::milli>(packet.at).count(),
                     packet.name.from == End::kClient ? "client -->" : "<-- server",
                     to_string(packet.name)) +
         paint(std::format("{:>12}  {}", cost, packet.meaning), ink, colors) + '\n';
}

// The trial of each pair knows what its packets were.
std::vector<std::string> meanings_of(const analysis::LossPattern& pattern,
                                     std::span<const analysis::Trial> trials) {
  std::vector<std::string> meanings;
  const auto trial = std::ranges::find(trials, pattern, &analysis::Trial::pattern);
  for (const PacketName name : pattern) {
    std::string meaning;
    if (trial != trials.end()) {
      const auto packet = std::ranges::find(trial->packets, name, &analysis::TrialPacket::name);
      if (packet != trial->packets.end()) meaning = packet->meaning;
    }
    meanings.push_back(std::move(meaning));
  }
  return meanings;
}

// "c1 SYN; c2 ACK"
std::string pair_words(const MappedPair& pair) {
  std::vector<std::string> words;
  words.reserve(pair.packets.size());
  for (std::size_t index = 0; index < pair.packets.size(); ++index)
    words.push_back(std::format("{} {}", to_string(pair.packets[index]), pair.meanings[index]));
  return base::joined(words, "; ");
}

Json cost_json(const MappedCost& cost, const LossMap& map) {
  return {{"time_ns", cost.time ? Json(cost.time->count()) : Json(nullptr)},
          {"added_ns",
           cost.time && map.lossless ? Json((*cost.time - *map.lossless).count()) : Json(nullptr)}};
}

LossMap lossless_map(const analysis::Trial& lossless) {
  LossMap map;
  map.lossless = lossless.time;
  for (const analysis::TrialPacket& packet : lossless.packets)
    map.packets.push_back({.packet = packet, .alone = {}, .unknown = false});
  return map;
}

void set_alone(LossMap& map, PacketName name, const MappedCost& cost) {
  for (MappedPacket& mapped : map.packets)
    if (mapped.packet.name == name) mapped.alone = cost;
}

Json map_json(const LossMap& map) {
  Json packets = Json::array();
  for (const MappedPacket& mapped : map.packets)
    packets.push_back({{"packet", to_string(mapped.packet.name)},
                       {"at_ns", mapped.packet.at.count()},
                       {"bytes", mapped.packet.bytes},
                       {"meaning", mapped.packet.meaning},
                       {"alone", mapped.alone ? cost_json(*mapped.alone, map) : Json(nullptr)},
                       {"unknown", mapped.unknown}});
  Json pairs = Json::array();
  for (const MappedPair& pair : map.pairs) {
    Json names = Json::array();
    for (const PacketName name : pair.packets) names.push_back(to_string(name));
    pairs.push_back({{"packets", std::move(names)},
                     {"meanings", pair.meanings},
                     {"cost", cost_json(pair.cost, map)}});
  }
  return {{"lossless_ns", map.lossless ? Json(map.lossless->count()) : Json(nullptr)},
          {"timeout_ns", map.timeout.count()},
          {"late_ns", map.late ? Json(map.late->count()) : Json(nullptr)},
          {"faults", map.faults},
          {"packets", std::move(packets)},
          {"pairs", std::move(pairs)}};
}

}  // namespace

LossMap map_of(const ExactCell& cell, std::span<const analysis::Trial> trials) {
  LossMap map = lossless_map(cell.lossless);
  map.cell = cell.planned.name;
  map.timeout = cell.times.timeout;
  map.faults = cell.faults.size();
  for (const nlohmann::json& fault : cell.faults)
    for (MappedPacket& mapped : map.packets)
      mapped.unknown = mapped.unknown || fault.at("pattern") == to_string(mapped.packet.name);
  for (const WalkedLeaf& walked : cell.leaves) {
    const MappedCost cost{.time = walked.leaf.time};
    if (walked.pattern.size() == 1) set_alone(map, walked.pattern.front(), cost);
    if (walked.pattern.size() == 2)
      map.pairs.push_back({.packets = walked.pattern,
                           .meanings = meanings_of(walked.pattern, trials),
                           .cost = cost});
  }
  std::ranges::stable_sort(map.pairs, [](const MappedPair& left, const MappedPair& right) {
    return is_worse(left.cost, right.cost);
  });
  return map;
}

LossMap map_of_delays(const PlannedCell& cell, const PlannedArm& arm, Nanoseconds late,
                      std::span<const analysis::Trial> trials) {
  const auto lossless = std::ranges::find_if(
      trials, [](const analysis::Trial& trial) { return trial.pattern.empty(); });
  LossMap map = lossless == trials.end() ? LossMap{} : lossless_map(*lossless);
  map.cell = cell.name;
  map.timeout = arm.client.timeout;
  map.late = late;
  for (const analysis::Trial& trial : trials)
    if (trial.pattern.size() == 1)
      set_alone(map, trial.pattern.front(), MappedCost{.time = trial.time});
  return map;
}

std::string render_map(const LossMap& map, Colors colors) {
  std::string text = paint(map.cell, Ink::kBold, colors);
  text += map.lossless ? std::format(": {} ms without loss", in_milliseconds(*map.lossless))
                       : std::string(": not answered even without loss");
  if (map.faults > 0)
    text += std::format("; {} patterns did not repeat themselves and are left out", map.faults);
  text += map.late ? std::format("; each packet late by {}\n", base::to_string(*map.late))
                   : std::string("; each packet lost alone\n");
  text += paint(std::format("{:>9}  {:<15} {:>12}  {}\n", "at ms", "packet", "costs", "what it is"),
                Ink::kFaint, colors);
  for (const MappedPacket& mapped : map.packets) text += packet_line(mapped, map, colors);
  if (!map.pairs.empty()) text += paint("worst pairs, both lost\n", Ink::kFaint, colors);
  for (const MappedPair& pair : map.pairs | std::views::take(kShownPairs))
    text += std::format("{:>39}  {}\n", cost_text(pair.cost, map), pair_words(pair));
  return text + '\n';
}

std::string maps_to_json(std::span<const LossMap> maps, const ExactFacts& facts) {
  Json cells = Json::object();
  for (const LossMap& map : maps) cells[map.cell] = map_json(map);
  Json object = to_json(facts);
  object["cells"] = std::move(cells);
  return object.dump(1) + "\n";
}

}  // namespace harness
