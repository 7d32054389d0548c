#pragma once

// The chi-square distribution.

#include <cstdint>

namespace analysis {

// P(X > x) for X ~ chi-square with so many degrees of freedom (> 0), to 1e-12; x may be infinite.
double chi_square_upper_tail(double x, std::uint64_t degrees);

}  // namespace analysis
