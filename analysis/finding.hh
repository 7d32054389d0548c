#pragma once

// Something that a reader of a query's packets should know: a rule with its source, the packets
// that show it, and one sentence.

#include "analysis/cause.hh"
#include "analysis/end.hh"
#include "analysis/exchange.hh"
#include "captures/query_record.hh"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {

enum class Severity : std::uint8_t {
  kNote,     // as the protocols have it, but it explains times and sizes
  kCostly,   // allowed, but it cost time that could be saved
  kProblem,  // against the protocol, or an exchange that cannot end well
};
std::string_view to_string(Severity severity);  // "note", "costly", "problem"

struct FindingRule {
  std::string_view id;  // "amplification-stall"
  Severity severity = Severity::kNote;
  std::string_view rule;    // what holds, in one sentence
  std::string_view source;  // "RFC 9000 section 8.1"
};
// All of them, in the order in which they are reported.
std::span<const FindingRule> finding_rules();
const FindingRule& finding_rule(std::string_view id);  // LabError where there is none

// A packet in one end's capture, numbered from 1 as viewers do.
struct PacketReference {
  End end = End::kClient;
  std::size_t number = 0;
  bool operator==(const PacketReference&) const = default;
};

struct Finding {
  std::string_view id;  // of its rule
  std::vector<PacketReference> packets;
  std::string text;  // what happened here, in one sentence
};

// What is known of a query beside its packets.
struct FindingContext {
  const captures::QueryRecord* record = nullptr;  // null for captures that labrun did not make
  bool retry_always = false;                      // the server was told to answer with Retry
  // Both ends' captures are at hand. A single one that begins late does not show what the server
  // had received, and accuses nobody of it.
  bool two_ended = true;
};

// Everything that `exchange` shows; a rule at most once for each conversation it concerns. `causes`
// may be empty where they are not known.
std::vector<Finding> find_all(const Exchange& exchange, std::span<const Cause> causes,
                              const FindingContext& context);

}  // namespace analysis
