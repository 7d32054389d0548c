#pragma once

// The fields of a gate rule as scenarios write them.

#include "base/clock.hh"

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace harness {

struct RuleField {
  std::string_view name;
  std::string_view allowed;
  std::string_view arm_word;  // what stands before its value in the name of an arm
};

// The limits that `allowed` names.
inline constexpr std::uint64_t kLargestNumber = 1'000'000;
inline constexpr std::uint32_t kFarthestBehind = 100;
inline constexpr base::Nanoseconds kLongestHold = std::chrono::seconds(60);

inline constexpr std::array<RuleField, 9> kRuleFields{
    {{"from", "client or server", ""},
     {"is", "a name or a list of names, all of which must fit, such as quic-initial", ""},
     {"part", "first, last, middle or whole", ""},
     {"after", "handshake-complete or a name such as tls-server-hello", "after-"},
     {"ordinal", "a whole number from 1 to 1000000", "packet-"},
     {"nth", "a whole number from 1 to 1000000", "nth-"},
     {"times", "a whole number from 1 to 1000000, or all", "times-"},
     {"by", "a duration above 0 and up to 60s, such as 2ms", ""},
     {"behind", "a number of packets from 1 to 100", "behind-"}}};

}  // namespace harness
