#include "harness/difference_text.hh"

#include "harness/table_text.hh"

#include <cmath>
#include <format>

namespace harness {
namespace {

// What tables show: tenths of a millisecond, never "-0.0".
double tenths(double nanoseconds) {
  constexpr double kPerTenth = 100'000;
  const double rounded = std::round(nanoseconds / kPerTenth);
  return rounded == 0 ? 0 : rounded;
}

std::string signed_text(double nanoseconds) {
  const double shown = tenths(nanoseconds);
  return std::format("{}{:.1f}", shown > 0 ? "+" : "", shown / 10);
}

}  // namespace

std::string difference_text(const analysis::Difference& value, base::Nanoseconds timeout) {
  if (!value) return "-";
  if (std::isinf(*value)) return std::format("{} {}", *value > 0 ? 'A' : 'B', beyond(timeout));
  return signed_text(*value);
}

std::string interval_text(const ShownDifference& shown, base::Nanoseconds timeout) {
  if (!shown.value || !shown.lower || !shown.upper) return {};
  const bool open_below = std::isinf(*shown.lower);
  const bool open_above = std::isinf(*shown.upper);
  if (open_below && open_above) {
    if (*shown.lower == *shown.upper) return difference_text(shown.lower, timeout);
    return "unbounded";
  }
  if (open_above) return signed_text(*shown.lower) + " and more";
  if (open_below) return signed_text(*shown.upper) + " and less";
  return std::format("{} to {}", signed_text(*shown.lower), signed_text(*shown.upper));
}

Slower slower_side(const ShownDifference& shown) {
  if (!shown.value || !shown.lower || !shown.upper) return Slower::kUnknown;
  if (tenths(*shown.lower) > 0) return Slower::kA;
  if (tenths(*shown.upper) < 0) return Slower::kB;
  return Slower::kNotDecided;
}

std::string probability_text(double p) {
  constexpr double kSmallest = 0.001;
  if (p < kSmallest) return "p < 0.001";
  return p < 0.1 ? std::format("p = {:.3f}", p) : std::format("p = {:.2f}", p);
}

}  // namespace harness
