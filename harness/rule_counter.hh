#pragma once

// The rules of the packet gate while one query is under way: which of them takes a packet, by what
// has been counted and what has passed so far. Pure: whoever holds the packets asks and acts.

#include "analysis/end.hh"
#include "analysis/packet_meaning.hh"
#include "harness/gate_rule.hh"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace harness {

class RuleMatcher {
 public:
  // The rules must outlive it.
  explicit RuleMatcher(std::span<const GateRule> rules);

  // Packets come in the order in which the gate sees them, each once; `ordinal` counts those of
  // `from` from 1. Returns the rule that decides, none for a packet that passes. What is not
  // dropped counts as passed from the next packet on, though a delay may hold it back.
  const GateRule* judge(analysis::End from, std::uint64_t ordinal,
                        const analysis::PacketMeaning& meaning);

  // For each rule the packets that it took, those included that an earlier rule decided.
  std::span<const std::uint64_t> matches() const { return taken_; }

 private:
  bool takes(std::size_t index, analysis::End from, std::uint64_t ordinal,
             const analysis::PacketMeaning& meaning);
  bool is_met(const After& after) const;

  std::span<const GateRule> rules_;
  std::vector<std::uint64_t> counted_;  // packets that fit, by rule
  std::vector<std::uint64_t> taken_;
  std::bitset<analysis::kMeanings> passed_;
  bool handshake_complete_ = false;
};

}  // namespace harness
