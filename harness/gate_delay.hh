#pragma once

// How long packets stood at the gate, by the captures of both ends: what they took beyond the
// path's delay. In virtual time it is nothing; on the host's kernel it is what the gate does to a
// measurement.

#include "analysis/block_evidence.hh"
#include "base/clock.hh"
#include "captures/query_record.hh"
#include "harness/plan.hh"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace harness {

// Of a block's packets that a gate let pass at once, where the path has nothing else that may hold
// a packet up: rate, jitter, reordering, or a rule that delays.
std::vector<base::Nanoseconds> gate_delays(const Plan& plan,
                                           const analysis::BlockEvidence& evidence,
                                           std::span<const captures::QueryRecord> records);

struct GateDelay {
  base::Nanoseconds median{0};
  base::Nanoseconds longest{0};
};
// Empty where there are no delays.
std::optional<GateDelay> summarise(std::vector<base::Nanoseconds> delays);

}  // namespace harness
