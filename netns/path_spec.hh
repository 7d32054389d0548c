#pragma once

// What the path does to packets, one direction at a time. Every value is applied by netem on the
// egress of one port of `wire`, so the word "loss" always belongs to a direction, never to the path
// as a whole.

#include "base/clock.hh"
#include "base/rng.hh"
#include "base/units.hh"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace netns {

struct NoLoss {
  constexpr bool operator==(const NoLoss&) const = default;
};

// Each packet is lost on its own.
struct RandomLoss {
  base::Probability probability{};
  constexpr bool operator==(const RandomLoss&) const = default;
};

// Two states, good and bad; before each packet the state may change, then the state decides
// (Gilbert 1960, Elliott 1963). In tc(8)'s letters: p, r, 1-h, 1-k. The chain is in the good state
// whenever seeds are set, so the first packets of a query are lost less often than mean_loss()
// says.
struct GilbertElliottLoss {
  base::Probability good_to_bad{};   // p
  base::Probability bad_to_good{};   // r
  base::Probability loss_in_bad{};   // 1-h; h is the share of packets that the bad state lets pass
  base::Probability loss_in_good{};  // 1-k; k is the share of packets that the good state lets pass
  constexpr bool operator==(const GilbertElliottLoss&) const = default;
};

using LossModel = std::variant<NoLoss, RandomLoss, GilbertElliottLoss>;

// A reordered packet skips the delay and so overtakes those before it. With gap 1 every packet may
// be chosen; with gap N at most each Nth.
struct Reorder {
  base::Probability probability{};
  std::uint32_t gap = 1;
  constexpr bool operator==(const Reorder&) const = default;
};

// The way to one end. Correlations are not offered: netem draws their start from the kernel's own
// randomness, which no seed repeats.
struct OneWaySpec {
  base::Nanoseconds delay{0};
  // Each packet's delay is uniform between delay - jitter and delay + jitter. Packets are sent in
  // the order of their times, so jitter reorders.
  base::Nanoseconds jitter{0};
  LossModel loss{};
  // Of Ethernet frames without their checksum (IP bytes + 14), as tc(8) counts.
  std::optional<base::BitRate> rate{};
  std::optional<Reorder> reorder{};
  base::Probability duplicate{};
  // One bit of the Ethernet frame is inverted. Which one, no seed repeats (on the lab kernel the
  // boot's seed does).
  base::Probability corrupt{};
  // Packets that the queue holds, those under way included. 0: kAmpleQueue, which no lab fills, so
  // that every drop is the loss model's. A limit that overflows shows in
  // QdiscCounters::dropped_by_queue.
  std::uint32_t limit = 0;
  bool operator==(const OneWaySpec&) const = default;
};

struct PathSpec {
  OneWaySpec to_server{};
  OneWaySpec to_client{};
  bool operator==(const PathSpec&) const = default;
};

// One per direction: with the same seed on both, losses would be correlated.
struct PathSeeds {
  base::Seed to_server = 0;
  base::Seed to_client = 0;
  bool operator==(const PathSeeds&) const = default;
};

inline constexpr base::Nanoseconds kLongestDelay = std::chrono::minutes(10);
inline constexpr base::Nanoseconds kLongestJitter = std::chrono::seconds(2);
inline constexpr base::BitRate kLowestRate{1'000};
inline constexpr base::BitRate kHighestRate{100'000'000'000};
inline constexpr std::uint32_t kAmpleQueue = 100'000;
inline constexpr std::uint32_t kLargestQueue = 1'000'000;
inline constexpr std::uint32_t kLargestGap = 1'000'000;
// Below 1280 bytes Linux turns IPv6 off on a link (RFC 8200 section 5).
inline constexpr std::uint32_t kSmallestMtu = 1'280;
inline constexpr std::uint32_t kLargestMtu = 9'000;

// A value that netem would not apply as written. `field` is a member of OneWaySpec; `text`
// continues a message after it: "jitter", "30ms is longer than the delay of 20ms".
struct SpecProblem {
  std::string_view field;
  std::string text;
};
// Empty for a spec that can be installed. The scenario is judged with it; installing a spec that
// has problems throws.
std::vector<SpecProblem> problems_of(const OneWaySpec& spec);

// False when packets pass unchanged and at once; such a direction needs no netem.
bool impairs(const OneWaySpec& spec);
// The share of packets lost in the long run.
double mean_loss(const LossModel& loss);
// "20ms, loss 2%", "no impairment".
std::string to_string(const OneWaySpec& spec);

}  // namespace netns
