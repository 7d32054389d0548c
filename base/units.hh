#pragma once

// Quantities with their unit in the type. Raw numbers exist only at the edges (YAML, JSON,
// netlink).

#include "base/clock.hh"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace base {

// In [0, 1].
class Probability {
 public:
  constexpr Probability() = default;
  // nullopt outside [0, 1] and for NaN.
  static std::optional<Probability> from(double value);
  constexpr double value() const { return value_; }
  constexpr bool operator==(const Probability&) const = default;

 private:
  double value_ = 0;
};

struct ByteCount {
  std::uint64_t bytes = 0;
  constexpr bool operator==(const ByteCount&) const = default;
};

struct BitRate {
  std::uint64_t bits_per_second = 0;
  constexpr bool operator==(const BitRate&) const = default;
};

// Each takes the form that tc(8) users write, and nothing around it: "20ms" "1.5s" "250us"; "2%"
// "0.02"; "1500" "4kB" "64KiB"; "10mbit" "128kbit". nullopt for anything else, a missing unit and a
// negative number included.
std::optional<Nanoseconds> parse_duration(std::string_view text);
std::optional<Probability> parse_probability(std::string_view text);
std::optional<ByteCount> parse_byte_count(std::string_view text);
std::optional<BitRate> parse_bit_rate(std::string_view text);

// Shortest exact form that its parser reads back: "20ms", "1.5s", "2%", "10mbit".
std::string to_string(Nanoseconds duration);
std::string to_string(Probability probability);
std::string to_string(BitRate rate);

}  // namespace base
