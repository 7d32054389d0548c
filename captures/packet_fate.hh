#pragma once

// What the packet gate did with one packet: one line of packets.jsonl, the fate log.

#include "base/clock.hh"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace captures {

enum class Verdict : std::uint8_t {
  kPass,
  kDrop,
  kDelay,      // passed later; those behind it overtake
  kDuplicate,  // passed, and a copy of it right behind
  kReorder,    // passed behind packets that came after it
};
std::string_view to_string(Verdict verdict);  // "pass", "drop", ...

// Times count from the start of the query, in the order of judging. A packet that the gate did not
// let pass has no `out`.
struct PacketFate {
  std::string query;          // "doq:117"
  std::string from;           // "client" or "server"
  std::uint64_t ordinal = 0;  // 1 is the first packet of this end that the gate saw for the query
  std::uint64_t bytes = 0;    // of IP
  base::Nanoseconds in{0};
  std::optional<base::Nanoseconds> out;
  std::string meaning;  // in words: "Initial 0 [ClientHello 1-1162 of 1461]"
  Verdict verdict = Verdict::kPass;
  std::string reason;  // the rule or the command that decided; empty for what simply passed
  bool operator==(const PacketFate&) const = default;
};

// One line of JSON without the line feed, its keys always in the same order.
std::string to_json_line(const PacketFate& fate);
// Reads such a line; an error names the key. Unknown keys are ignored.
std::expected<PacketFate, std::string> parse_packet_fate(std::string_view line);

}  // namespace captures
