#pragma once

// What a block is to do instead of measuring queries: ask one query again and again, each time with
// other packets dropped. It lies beside the block's results as kTrialJobFile.

#include "analysis/trial.hh"
#include "base/clock.hh"
#include "captures/packet_fate.hh"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

// What is to happen to one packet.
struct Intervention {
  analysis::PacketName packet;
  captures::Verdict verdict = captures::Verdict::kDrop;
  base::Nanoseconds by{0};  // of kDelay
  bool operator==(const Intervention&) const = default;
};
using FateScript = std::vector<Intervention>;

struct TrialJob {
  enum class Kind : std::uint8_t {
    kWalk,      // all loss patterns with at most max_drops drops, or a share of them
    kDelays,    // the lossless exchange, then each of its packets late by `late`
    kScripts,   // the block's queries, each with its script
    kMinimise,  // the smallest part of `pattern` that does the same
  };
  Kind kind = Kind::kWalk;
  std::uint32_t max_drops = 0;
  std::uint32_t share = 0;  // of `shares`
  std::uint32_t shares = 1;
  base::Nanoseconds late{0};
  std::vector<FateScript> scripts{};  // parallel to the block's queries
  analysis::LossPattern pattern{};
  std::optional<base::Nanoseconds> slower_than{};  // of kMinimise; empty: never answered
  bool operator==(const TrialJob&) const = default;
};

inline constexpr const char* kTrialJobFile = "job.json";
inline constexpr const char* kTrialsFile = "trials.jsonl";    // grows while the block runs
inline constexpr const char* kLeavesFile = "leaves.jsonl";    // of kWalk
inline constexpr const char* kFaultsFile = "faults.jsonl";    // determinism faults
inline constexpr const char* kMinimalFile = "minimal.json";   // of kMinimise
inline constexpr const char* kTrialFactsFile = "facts.json";  // written last

std::string to_json(const TrialJob& job);
// Of a file that we wrote; throws LabError where it is not that.
TrialJob parse_trial_job(std::string_view text);

}  // namespace harness
