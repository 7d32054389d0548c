#pragma once

// The detectors behind find_all(), grouped by what they look at.

#include "analysis/finding.hh"

#include <cstddef>
#include <vector>

namespace analysis {

struct Inspection {
  const Exchange& exchange;
  std::span<const Cause> causes;
  const FindingContext& context;

  // Of the events of one conversation, in the order of sending.
  std::vector<const PacketEvent*> of_conversation(std::size_t conversation) const;
  // When the client had its answer, on the captures' clock; the end of time without one. What comes
  // after it cost nobody time.
  std::int64_t answered_ns() const;
};

PacketReference reference_to(const PacketEvent& event);

// Retry, Version Negotiation, and the anti-amplification limit.
void find_address_validation(const Inspection& inspection, std::vector<Finding>& findings);
// Split hellos, HelloRetryRequest, handshakes that do not end, early data.
void find_handshake(const Inspection& inspection, std::vector<Finding>& findings);
// Timers that fired, probes that were lost, bytes that waited for others.
void find_repairs(const Inspection& inspection, std::vector<Finding>& findings);
// Duplicate and late answers, padding, path MTU probes.
void find_answers(const Inspection& inspection, std::vector<Finding>& findings);

}  // namespace analysis
