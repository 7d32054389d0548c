#pragma once

// The distribution of the time to the answer, computed instead of sampled: each loss pattern that
// was walked is a leaf whose probability follows from the fates in its past, for any loss rates. A
// walk is cut off at some number of drops, so some probability is not visited; every figure has
// bounds that hold wherever the unvisited patterns lead.

#include "analysis/binomial.hh"
#include "analysis/past.hh"

#include <optional>
#include <span>
#include <vector>

namespace analysis {

// Probabilities with which a packet of each end is dropped.
struct LossRates {
  double client = 0;  // on the way to the server
  double server = 0;
};

// 0.1 % to 20 %, at which results are printed unless others are asked for.
std::vector<double> standard_rates();

// One walked pattern.
struct Leaf {
  std::optional<base::Nanoseconds> time;  // empty: never answered
  PatternCounts counts;
};

// Of exactly these fates.
double probability_of(const PatternCounts& counts, const LossRates& rates);

// An empty bound is "never".
struct QuantileBounds {
  std::optional<base::Nanoseconds> low;
  std::optional<base::Nanoseconds> high;
  bool is_exact() const { return low == high; }
  bool operator==(const QuantileBounds&) const = default;
};

class ExactDistribution {
 public:
  // One of the times that the answer can take.
  struct Atom {
    base::Nanoseconds time{0};
    double probability = 0;
    double cumulative = 0;  // of this and all smaller ones
  };

  // `floor` is the time before which no answer can come, whatever was not visited. Throws LabError
  // where the leaves are not of one tree: their probabilities exceed 1.
  ExactDistribution(std::span<const Leaf> leaves, const LossRates& rates, base::Nanoseconds floor);

  const LossRates& rates() const { return rates_; }
  double visited() const { return visited_; }
  double unvisited() const { return unvisited_; }
  std::span<const Atom> atoms() const { return atoms_; }  // ascending
  // The share of queries that are never answered: of the visited ones, and with all unvisited ones.
  ProbabilityInterval never() const { return {.lower = never_, .upper = never_ + unvisited_}; }
  // P(T <= time), without and with all unvisited ones.
  ProbabilityInterval cumulative(base::Nanoseconds time) const;
  // The smallest time that at least a share q of all queries does not exceed; q in (0, 1]. `low`
  // takes all unvisited queries for answered at the floor, `high` for never answered.
  QuantileBounds quantile(double q) const;

 private:
  LossRates rates_;
  base::Nanoseconds floor_;
  std::vector<Atom> atoms_;
  double never_ = 0;
  double visited_ = 0;
  double unvisited_ = 0;
};

}  // namespace analysis
