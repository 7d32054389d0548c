#include "base/units.hh"

#include <array>
#include <charconv>
#include <cmath>
#include <format>
#include <span>

namespace base {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 4> kDurations{{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
constexpr std::array<Unit, 6> kByteCounts{
    {{"", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"KiB", 1024}, {"MiB", 1048576}}};
constexpr std::array<Unit, 4> kBitRates{{{"bit", 1}, {"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}}};

// Largest value that a double holds to the unit, and far above what any lab needs.
constexpr double kLargest = 9e15;

std::optional<double> parse_quantity(std::string_view text, std::span<const Unit> units) {
  double number = 0;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(number) || std::signbit(number)) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  for (const Unit& known : units) {
    if (known.name != unit) continue;
    const double value = number * known.factor;
    return value <= kLargest ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

std::string format_quantity(double value, std::span<const Unit> units) {
  if (value == 0) return std::format("0{}", units.back().name);
  const Unit* best = &units.front();
  for (const Unit& unit : units)
    if (value >= unit.factor && unit.factor >= best->factor) best = &unit;
  return std::format("{}{}", value / best->factor, best->name);
}

}  // namespace

std::optional<Probability> Probability::from(double value) {
  if (!(value >= 0 && value <= 1)) return std::nullopt;
  Probability probability;
  probability.value_ = value;
  return probability;
}

std::optional<Nanoseconds> parse_duration(std::string_view text) {
  const auto value = parse_quantity(text, kDurations);
  return value ? std::optional(Nanoseconds(std::llround(*value))) : std::nullopt;
}

std::optional<Probability> parse_probability(std::string_view text) {
  constexpr std::array<Unit, 2> kForms{{{"", 1}, {"%", 0.01}}};
  const auto value = parse_quantity(text, kForms);
  return value ? Probability::from(*value) : std::nullopt;
}

std::optional<ByteCount> parse_byte_count(std::string_view text) {
  const auto value = parse_quantity(text, kByteCounts);
  return value ? std::optional(ByteCount(static_cast<std::uint64_t>(*value))) : std::nullopt;
}

std::optional<BitRate> parse_bit_rate(std::string_view text) {
  const auto value = parse_quantity(text, kBitRates);
  return value ? std::optional(BitRate(static_cast<std::uint64_t>(*value))) : std::nullopt;
}

std::string to_string(Nanoseconds duration) {
  return format_quantity(static_cast<double>(duration.count()), kDurations);
}

std::string to_string(Probability probability) {
  // Percentages are typed with few digits; without rounding 0.07 prints as 7.000000000000001 %.
  return std::format("{:.12g}%", probability.value() * 100);
}

std::string to_string(BitRate rate) {
  return format_quantity(static_cast<double>(rate.bits_per_second), kBitRates);
}

}  // namespace base
