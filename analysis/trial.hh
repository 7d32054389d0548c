#pragma once

// One query asked once while chosen packets were dropped, as the packet gate saw it. The unit of
// exact tails, loss maps and minimising.

#include "analysis/end.hh"
#include "base/clock.hh"
#include "captures/query_record.hh"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace analysis {

// The ordinal-th IP packet (from 1) that an end sent for the query, repetitions counted.
struct PacketName {
  End from = End::kClient;
  std::uint64_t ordinal = 0;
  auto operator<=>(const PacketName&) const = default;
};
std::string to_string(PacketName name);  // "c3", "s1"
std::optional<PacketName> parse_packet_name(std::string_view text);

// The packets that are dropped, sorted, each once.
using LossPattern = std::vector<PacketName>;
std::string to_string(const LossPattern& pattern);  // "c3 s1"; "none"

struct TrialPacket {
  PacketName name;
  base::Nanoseconds at{0};  // at the gate, since the start of the query
  std::uint64_t bytes = 0;  // of IP
  std::string meaning;      // in words
  std::string signature;    // PacketMeaning::signature
  bool dropped = false;
  bool completes_answer = false;  // a whole, readable DNS answer is in it
  bool operator==(const TrialPacket&) const = default;
};

struct Trial {
  LossPattern pattern;               // what was to be dropped
  std::vector<TrialPacket> packets;  // in the order in which the gate judged them
  captures::Outcome outcome = captures::Outcome::kNoAnswer;
  std::optional<base::Nanoseconds> time;  // to the answer; exists if and only if answered
  bool operator==(const Trial&) const = default;
};

}  // namespace analysis
