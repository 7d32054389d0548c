#include "analysis/chi_square.hh"

#include "base/errors.hh"

#include <algorithm>
#include <cmath>
#include <limits>

namespace analysis {
namespace {

// Far more terms than sums of a million degrees of freedom take.
constexpr int kMostTerms = 100'000;
constexpr double kPrecision = std::numeric_limits<double>::epsilon();

// x^a e^-x / Gamma(a), by which both expansions are scaled.
double scale(double a, double x) {
  return std::exp(a * std::log(x) - x - std::lgamma(a));
}

// The regularised lower incomplete gamma function by its series (DLMF 8.11.4), which falls quickly
// for x < a + 1.
double lower_by_series(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (int n = 1; n <= kMostTerms && term > sum * kPrecision; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * scale(a, x);
}

// The upper one by its continued fraction (DLMF 8.9.2, contracted), evaluated from the front as
// Lentz did.
double upper_by_fraction(double a, double x) {
  constexpr double kTiny = std::numeric_limits<double>::min();
  const auto away_from_zero = [](double value) { return value == 0 ? kTiny : value; };
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / away_from_zero(b);
  double fraction = d;
  for (int n = 1; n <= kMostTerms; ++n) {
    const double numerator = -n * (n - a);
    b += 2;
    d = 1 / away_from_zero(numerator * d + b);
    c = away_from_zero(b + numerator / c);
    fraction *= c * d;
    if (std::abs(c * d - 1) < kPrecision) break;
  }
  return fraction * scale(a, x);
}

}  // namespace

double chi_square_upper_tail(double x, std::uint64_t degrees) {
  LABRUN_ASSERT(degrees > 0);
  if (x <= 0) return 1;
  if (std::isinf(x)) return 0;
  const double a = static_cast<double>(degrees) / 2;
  const double tail = x / 2 < a + 1 ? 1 - lower_by_series(a, x / 2) : upper_by_fraction(a, x / 2);
  return std::clamp(tail, 0.0, 1.0);
}

}  // namespace analysis
