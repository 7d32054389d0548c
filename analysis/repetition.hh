#pragma once

// Whether a trial repeats another one up to the packet that it drops in addition. Everything that
// exact tails say rests on it: a lab that does not repeat itself has no tree of patterns.

#include "analysis/past.hh"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace analysis {

struct ExpectedRepetition {
  LossPattern pattern;
  std::span<const TrialPacket> packets;  // of the parent
  std::span<const RevealedPacket>
      decided;  // of the parent; the last of them is dropped in addition
};

// In words, what the trial does otherwise; empty where it repeats. Each decided packet must be seen
// again with its signature and fate, within kTimeTolerance of its time. No other packet of the
// trial may be dropped, or come clearly before the new drop: packets of different ends that nearly
// coincide may swap. Nor may the answer precede the new drop.
std::optional<std::string> first_difference(const ExpectedRepetition& expected, const Trial& trial,
                                            const PathTimes& times);

}  // namespace analysis
