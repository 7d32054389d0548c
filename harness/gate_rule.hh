#pragma once

// What a scenario tells the packet gate: the gate stands in the middle of the lab and judges each
// IP packet, and rules script its verdicts. The words and their meaning: docs/scenarios.md.

#include "analysis/end.hh"
#include "analysis/packet_meaning.hh"
#include "base/clock.hh"
#include "captures/packet_fate.hh"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

// Which part of its message a packet must carry. A packet with a whole message carries its first
// and its last part too.
enum class Part : std::uint8_t { kFirst, kLast, kMiddle, kWhole };

// What must have passed the gate before a rule begins to count.
struct After {
  // Of either end. None: the client's Finished, which completes the handshake.
  std::optional<analysis::Meaning> meaning;
  bool operator==(const After&) const = default;
};

// One rule: of the packets of `from` that fit, counted per query from 1, it takes number `nth` and
// those behind it, `times` in all. With `ordinal` it takes that packet of `from` and nothing else.
struct GateRule {
  captures::Verdict verdict = captures::Verdict::kDrop;  // one of kRuleVerdicts
  analysis::End from = analysis::End::kClient;
  std::vector<analysis::Meaning> is;  // all of them; sorted, each once
  std::optional<Part> part;           // of the one message in `is`
  std::optional<After> after;
  std::optional<std::uint64_t> ordinal;  // from 1
  std::uint64_t nth = 1;
  std::optional<std::uint64_t> times = 1;  // none: all
  base::Nanoseconds by{0};                 // of a delay
  std::uint32_t behind = 0;                // of a reorder: packets of the same end
  std::string text;                        // describe(): "drop server quic-initial, 2nd"
  bool operator==(const GateRule&) const = default;
};

// Without rules everything passes, and the gate keeps its log all the same.
struct GateSettings {
  bool on = false;
  std::vector<GateRule> rules;  // empty when off; the first one that takes a packet decides
  bool operator==(const GateSettings&) const = default;
};

// No scenario has more rules in one arm.
inline constexpr std::size_t kMaxGateRules = 100;
inline constexpr std::array kRuleVerdicts{captures::Verdict::kDrop, captures::Verdict::kDelay,
                                          captures::Verdict::kDuplicate,
                                          captures::Verdict::kReorder};
inline constexpr std::string_view kHandshakeComplete = "handshake-complete";

// Words of scenarios and plans.
std::string_view to_string(Part part);  // "first", "last", "middle", "whole"
std::string_view to_string(After after);
std::optional<captures::Verdict> parse_rule_verdict(std::string_view word);
std::optional<analysis::End> parse_end(std::string_view word);
std::optional<Part> parse_part(std::string_view word);
std::optional<After> parse_after(std::string_view word);

// Whether it is a message of TLS or DNS, which may lie in several packets.
bool is_message(analysis::Meaning meaning);

// The rule without its `text`, in one line.
std::string describe(const GateRule& rule);
// Whether they take the same packets, whatever they do to them.
bool select_the_same(const GateRule& one, const GateRule& other);

}  // namespace harness
