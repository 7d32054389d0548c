#pragma once

// What single packets and pairs of them are worth to one cell's answer time.

#include "analysis/trial.hh"
#include "base/clock.hh"
#include "harness/exact_cell.hh"
#include "harness/exact_json.hh"
#include "harness/table_text.hh"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace harness {

// What came of one intervention.
struct MappedCost {
  std::optional<base::Nanoseconds> time;  // to the answer; empty: never answered
  bool operator==(const MappedCost&) const = default;
};

struct MappedPacket {
  analysis::TrialPacket packet;     // of the lossless exchange
  std::optional<MappedCost> alone;  // empty: it comes too late to matter, or is unknown
  bool unknown = false;             // its loss did not repeat itself
};

struct MappedPair {
  analysis::LossPattern packets;
  std::vector<std::string> meanings;  // parallel to them, as they were when both were lost
  MappedCost cost;
};

struct LossMap {
  std::string cell;
  base::Nanoseconds timeout{0};
  std::optional<base::Nanoseconds> lossless;
  std::optional<base::Nanoseconds> late;  // packets were late by this instead of lost
  std::vector<MappedPacket> packets;      // as the gate saw them
  std::vector<MappedPair> pairs;          // worst first
  std::size_t faults = 0;                 // patterns that did not repeat themselves
};

// `trials` are those of the cell's walk.
LossMap map_of(const ExactCell& cell, std::span<const analysis::Trial> trials);
// `trials` as a block of TrialJob::Kind::kDelays leaves them.
LossMap map_of_delays(const PlannedCell& cell, const PlannedArm& arm, base::Nanoseconds late,
                      std::span<const analysis::Trial> trials);

std::string render_map(const LossMap& map, Colors colors);
// map.json.
std::string maps_to_json(std::span<const LossMap> maps, const ExactFacts& facts);

}  // namespace harness
