#include "analysis/chi_square.hh"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace analysis {
namespace {

// Critical values as tables print them.
TEST(ChiSquare, HasTheTabulatedTails) {
  struct Row {
    std::uint64_t degrees;
    double tail;
    double x;
  };
  constexpr Row kRows[]{{1, 0.05, 3.841459},    {1, 0.001, 10.827566},  {2, 0.05, 5.991465},
                        {3, 0.95, 0.351846},    {5, 0.01, 15.086272},   {10, 0.05, 18.307038},
                        {10, 0.99, 2.558212},   {30, 0.001, 59.703064}, {50, 0.5, 49.334937},
                        {100, 0.05, 124.342113}};
  for (const Row& row : kRows)
    EXPECT_NEAR(chi_square_upper_tail(row.x, row.degrees), row.tail, 2e-7 + row.tail * 1e-6)
        << row.degrees << ' ' << row.tail;
}

// Two degrees are an exponential distribution, one the square of a normal one, four the sum of two
// exponential ones.
TEST(ChiSquare, HasItsClosedForms) {
  for (const double x : {1e-9, 0.1, 0.999, 1.0, 2.5, 4.0, 7.0, 40.0, 300.0, 1000.0}) {
    EXPECT_NEAR(chi_square_upper_tail(x, 2) / std::exp(-x / 2), 1, 1e-11) << x;
    EXPECT_NEAR(chi_square_upper_tail(x, 4) / (std::exp(-x / 2) * (1 + x / 2)), 1, 1e-11) << x;
    EXPECT_NEAR(chi_square_upper_tail(x, 1) / std::erfc(std::sqrt(x / 2)), 1, 1e-11) << x;
  }
}

// With many degrees half of the distribution lies below some 2/3 less than their number.
TEST(ChiSquare, HasItsMedianWithManyDegrees) {
  for (const std::uint64_t degrees : {1000U, 1'000'000U})
    EXPECT_NEAR(chi_square_upper_tail(static_cast<double>(degrees) - 2.0 / 3, degrees), 0.5, 1e-4)
        << degrees;
}

TEST(ChiSquare, KnowsCertainties) {
  EXPECT_EQ(chi_square_upper_tail(0, 3), 1);
  EXPECT_EQ(chi_square_upper_tail(std::numeric_limits<double>::infinity(), 3), 0);
}

}  // namespace
}  // namespace analysis
