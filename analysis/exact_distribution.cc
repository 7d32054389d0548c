#include "analysis/exact_distribution.hh"

#include "base/errors.hh"

#include <algorithm>
#include <cmath>
#include <format>

namespace analysis {
namespace {

// What sums of up to some millions of probabilities may be off by in long double, with a margin.
constexpr double kRounding = 1e-12;

double power(double base, std::uint64_t exponent) {
  return std::pow(base, static_cast<double>(exponent));
}

double probability_of_fates(const Fates& fates, double rate) {
  return power(rate, fates.dropped) * power(1 - rate, fates.passed);
}

struct WeightedTime {
  base::Nanoseconds time{0};
  double probability = 0;
};

}  // namespace

std::vector<double> standard_rates() {
  return {0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2};
}

double probability_of(const PatternCounts& counts, const LossRates& rates) {
  return probability_of_fates(counts.client, rates.client) *
         probability_of_fates(counts.server, rates.server);
}

ExactDistribution::ExactDistribution(std::span<const Leaf> leaves, const LossRates& rates,
                                     base::Nanoseconds floor)
    : rates_(rates), floor_(floor) {
  std::vector<WeightedTime> answered;
  answered.reserve(leaves.size());
  long double never = 0;
  for (const Leaf& leaf : leaves) {
    const double probability = probability_of(leaf.counts, rates);
    if (leaf.time) {
      answered.push_back({.time = *leaf.time, .probability = probability});
    } else {
      never += probability;
    }
  }
  std::ranges::sort(answered, {}, &WeightedTime::time);
  // One running sum: the small probabilities of the tail are not added to rounded ones.
  long double sum = 0;
  long double of_atom = 0;
  for (const WeightedTime& leaf : answered) {
    if (atoms_.empty() || atoms_.back().time != leaf.time) {
      atoms_.push_back({.time = leaf.time});
      of_atom = 0;
    }
    sum += leaf.probability;
    of_atom += leaf.probability;
    atoms_.back().probability = static_cast<double>(of_atom);
    atoms_.back().cumulative = static_cast<double>(sum);
  }
  if (sum + never > 1 + kRounding)
    throw base::LabError(
        std::format("the probabilities of {} loss patterns add up to {}: they are not of one walk",
                    leaves.size(), static_cast<double>(sum + never)));
  never_ = static_cast<double>(never);
  visited_ = static_cast<double>(std::min(sum + never, 1.0L));
  unvisited_ = static_cast<double>(std::max(1 - (sum + never), 0.0L));
}

ProbabilityInterval ExactDistribution::cumulative(base::Nanoseconds time) const {
  const auto behind = std::ranges::upper_bound(atoms_, time, {}, &Atom::time);
  const double visited = behind == atoms_.begin() ? 0 : (behind - 1)->cumulative;
  return {.lower = visited, .upper = time < floor_ ? visited : visited + unvisited_};
}

QuantileBounds ExactDistribution::quantile(double q) const {
  LABRUN_ASSERT(q > 0 && q <= 1);
  // The first atom up to which the visited ones have this share, short of it by rounding at most.
  const auto reached = [&](double share) -> std::optional<base::Nanoseconds> {
    const auto atom = std::ranges::lower_bound(atoms_, share - kRounding, {}, &Atom::cumulative);
    if (atom == atoms_.end()) return std::nullopt;
    return atom->time;
  };
  // Up to rounding nothing may be left for the floor to answer.
  const bool floor_suffices = unvisited_ > kRounding && unvisited_ >= q - kRounding;
  return {.low = floor_suffices ? floor_ : reached(q - unvisited_), .high = reached(q)};
}

}  // namespace analysis
