#include "analysis/binomial.hh"

#include <gtest/gtest.h>

#include <cmath>

namespace analysis {
namespace {

base::Probability probability(double value) {
  return base::Probability::from(value).value();
}

// Sum of the definition, in long double, for n small enough that it is exact to the digits
// compared.
double cdf_by_definition(std::int64_t k, std::uint64_t n, double p) {
  long double sum = 0;
  long double choose = 1;
  for (std::uint64_t i = 0; static_cast<std::int64_t>(i) <= k && i <= n; ++i) {
    sum += choose * std::pow(static_cast<long double>(p), static_cast<long double>(i)) *
           std::pow(1 - static_cast<long double>(p), static_cast<long double>(n - i));
    choose = choose * static_cast<long double>(n - i) / static_cast<long double>(i + 1);
  }
  return static_cast<double>(sum);
}

TEST(BinomialCdf, AgreesWithItsDefinition) {
  for (const std::uint64_t n : {1U, 2U, 10U, 50U})
    for (const double p : {0.01, 0.02, 0.3, 0.5, 0.99})
      for (std::int64_t k = -1; k <= static_cast<std::int64_t>(n) + 1; ++k)
        EXPECT_NEAR(binomial_cdf(k, n, p), cdf_by_definition(k, n, p), 1e-11)
            << n << ' ' << p << ' ' << k;
}

TEST(BinomialCdf, KnowsCertainties) {
  EXPECT_EQ(binomial_cdf(0, 100, 0), 1);
  EXPECT_EQ(binomial_cdf(99, 100, 1), 0);
  EXPECT_EQ(binomial_cdf(100, 100, 1), 1);
}

// Half of a symmetric distribution lies below its middle, however many trials.
TEST(BinomialCdf, StaysExactForManyTrials) {
  for (const std::uint64_t n : {1001U, 100'001U, 1'000'001U})
    EXPECT_NEAR(binomial_cdf(static_cast<std::int64_t>(n / 2), n, 0.5), 0.5, 1e-7) << n;
}

// Textbook values: Newcombe (1998), Statistics in Medicine 17, table I, methods 3 (Wilson) and 5
// (Clopper-Pearson).
struct Published {
  std::uint64_t k;
  std::uint64_t n;
  ProbabilityInterval wilson;
  ProbabilityInterval exact;
};

class PublishedInterval : public testing::TestWithParam<Published> {};

TEST_P(PublishedInterval, IsReproduced) {
  const Published& row = GetParam();
  const ProbabilityInterval wilson = wilson_interval(row.k, row.n);
  EXPECT_NEAR(wilson.lower, row.wilson.lower, 5e-5);
  EXPECT_NEAR(wilson.upper, row.wilson.upper, 5e-5);
  const ProbabilityInterval exact = exact_interval(row.k, row.n);
  EXPECT_NEAR(exact.lower, row.exact.lower, 5e-5);
  EXPECT_NEAR(exact.upper, row.exact.upper, 5e-5);
}

INSTANTIATE_TEST_SUITE_P(Newcombe1998, PublishedInterval,
                         testing::Values(Published{81, 263, {0.2553, 0.3662}, {0.2527, 0.3676}},
                                         Published{15, 148, {0.0624, 0.1605}, {0.0578, 0.1617}},
                                         Published{0, 20, {0, 0.1611}, {0, 0.1684}},
                                         Published{1, 29, {0.0061, 0.1718}, {0.0009, 0.1776}}));

// The interval is the set of p that a score test does not reject, so both bounds solve
// (k/n - p)^2 = z^2 p (1 - p) / n: the roots of that quadratic equation, solved apart from the
// formula under test, rounded to four digits.
TEST(WilsonInterval, HasTheRootsOfTheScoreEquation) {
  struct Row {
    std::uint64_t k;
    std::uint64_t n;
    double lower;
    double upper;
  };
  for (const auto& [k, n, lower, upper] :
       {Row{0, 10, 0, 0.2775}, Row{1, 10, 0.0179, 0.4042}, Row{5, 10, 0.2366, 0.7634},
        Row{8, 10, 0.4902, 0.9433}, Row{1, 100, 0.0018, 0.0545}, Row{50, 100, 0.4038, 0.5962},
        Row{19, 100, 0.1251, 0.2778}, Row{30, 200, 0.1071, 0.2061}, Row{49, 200, 0.1906, 0.3090},
        Row{6, 300, 0.0092, 0.0429}, Row{12, 300, 0.0230, 0.0686}, Row{15, 300, 0.0305, 0.0808}}) {
    const ProbabilityInterval interval = wilson_interval(k, n);
    EXPECT_NEAR(interval.lower, lower, 5e-5) << k << " of " << n;
    EXPECT_NEAR(interval.upper, upper, 5e-5) << k << " of " << n;
    // What k leaves out, its complement has.
    const ProbabilityInterval other = wilson_interval(n - k, n);
    EXPECT_NEAR(other.lower, 1 - interval.upper, 1e-12) << k << " of " << n;
    EXPECT_NEAR(other.upper, 1 - interval.lower, 1e-12) << k << " of " << n;
  }
}

// Clopper and Pearson by their definition: at the bounds, k or beyond has a chance of 2.5 %.
TEST(ExactInterval, LeavesItsTailsOutside) {
  for (const std::uint64_t n : {10U, 50U, 200U})
    for (const std::uint64_t k : {std::uint64_t{1}, n / 5, n / 2, n - 1}) {
      const auto count = static_cast<std::int64_t>(k);
      const ProbabilityInterval interval = exact_interval(k, n);
      EXPECT_NEAR(1 - cdf_by_definition(count - 1, n, interval.lower), 0.025, 1e-9) << k << n;
      EXPECT_NEAR(cdf_by_definition(count, n, interval.upper), 0.025, 1e-9) << k << n;
    }
}

TEST(WilsonInterval, KnowsNothingWithoutTrials) {
  EXPECT_EQ(wilson_interval(0, 0).lower, 0);
  EXPECT_EQ(wilson_interval(0, 0).upper, 1);
  EXPECT_EQ(wilson_interval(300, 300).upper, 1);
}

// "Rule of three": none in n bounds the probability by 1 - 0.025^(1/n), here in closed form.
TEST(ExactInterval, HasItsClosedFormAtZero) {
  EXPECT_NEAR(exact_interval(0, 300).upper, 1 - std::pow(0.025, 1.0 / 300), 1e-12);
}

TEST(AcceptanceRegion, LeavesNoMoreThanTheRestOutside) {
  for (const std::uint64_t n : {10U, 300U, 5000U, 30'000U}) {
    for (const double p : {0.005, 0.02, 0.5}) {
      const AcceptanceRegion region = acceptance_region(n, probability(p));
      const auto lowest = static_cast<std::int64_t>(region.lowest);
      const auto highest = static_cast<std::int64_t>(region.highest);
      EXPECT_LE(binomial_cdf(lowest - 1, n, p), 0.0005) << n << ' ' << p;
      EXPECT_LE(1 - binomial_cdf(highest, n, p), 0.0005 + 1e-12) << n << ' ' << p;
      // One narrower on either side would leave too much.
      EXPECT_GT(binomial_cdf(lowest, n, p), 0.0005) << n << ' ' << p;
      EXPECT_GT(1 - binomial_cdf(highest - 1, n, p), 0.0005) << n << ' ' << p;
    }
  }
}

TEST(AcceptanceRegion, WithoutLossAcceptsNone) {
  const AcceptanceRegion region = acceptance_region(1000, probability(0));
  EXPECT_TRUE(region.contains(0));
  EXPECT_FALSE(region.contains(1));
}

TEST(NormalQuantile, HasTheTabulatedValues) {
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-9);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963985, 1e-9);
  EXPECT_NEAR(normal_quantile(0.025), -1.959963985, 1e-9);
  EXPECT_NEAR(normal_quantile(0.9995), 3.290526731, 1e-9);
}

}  // namespace
}  // namespace analysis
