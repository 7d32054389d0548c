#pragma once

// How single figures of a comparison look.

#include "analysis/query_pair.hh"
#include "base/clock.hh"

#include <cstdint>
#include <optional>
#include <string>

namespace harness {

// Of a difference and its interval, in nanoseconds (analysis/paired_comparison.hh).
struct ShownDifference {
  analysis::Difference value;
  std::optional<double> lower;
  std::optional<double> upper;
};

// "+40.0" ms; "A > 10s" where only A lies beyond the timeout; "-" where there is none.
std::string difference_text(const analysis::Difference& value, base::Nanoseconds timeout);
// "-20.1 to +40.2"; "-20.1 and more" where nothing bounds it from above.
std::string interval_text(const ShownDifference& shown, base::Nanoseconds timeout);

enum class Slower : std::uint8_t {
  kUnknown,     // there is no value or no interval
  kNotDecided,  // the interval holds 0
  kA,
  kB,
};
// Judged by what is shown: bounds that round to 0.0 ms are 0.
Slower slower_side(const ShownDifference& shown);

std::string probability_text(double p);  // "p = 0.45", "p < 0.001"

}  // namespace harness
