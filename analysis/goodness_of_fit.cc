#include "analysis/goodness_of_fit.hh"

#include "analysis/binomial.hh"
#include "analysis/chi_square.hh"

#include <algorithm>
#include <limits>
#include <numeric>

namespace analysis {
namespace {

using Bins = std::vector<FitBin>;

// One for each group of exact times, ascending, and a last one for those never answered.
Bins bins_of(const ExactDistribution& exact, double n) {
  Bins bins;
  for (const ExactDistribution::Atom& atom : exact.atoms()) {
    if (bins.empty() || atom.time - *bins.back().high > kAtomSpacing)
      bins.push_back({.low = atom.time, .high = atom.time});
    bins.back().high = atom.time;
    bins.back().expected += n * atom.probability;
  }
  bins.push_back({.low = {}, .high = {}, .expected = n * exact.never().lower});
  return bins;
}

// Null where no exact time is near.
FitBin* bin_of(Bins& bins, const std::optional<base::Nanoseconds>& sample) {
  constexpr base::Nanoseconds kReach = kAtomSpacing / 2;
  if (!sample) return &bins.back();
  const auto bin = std::ranges::find_if(bins, [&](const FitBin& candidate) {
    return !candidate.high || *sample <= *candidate.high + kReach;
  });
  return bin->low && *sample >= *bin->low - kReach ? &*bin : nullptr;
}

void merge(FitBin& into, const FitBin& next) {
  into.high = next.high;
  into.expected += next.expected;
  into.observed += next.observed;
}

// From the shortest time on, each bin takes in the next ones until enough is expected in it.
Bins pooled(const Bins& bins) {
  Bins pooled;
  for (const FitBin& bin : bins) {
    if (pooled.empty() || pooled.back().expected >= kLeastExpected) {
      pooled.push_back(bin);
    } else {
      merge(pooled.back(), bin);
    }
  }
  if (pooled.size() > 1 && pooled.back().expected < kLeastExpected) {
    const FitBin last = pooled.back();
    pooled.pop_back();
    merge(pooled.back(), last);
  }
  return pooled;
}

// Spreads `spare` expected samples so that chi-square becomes smallest. Its sum is that of
// observed^2 / expected, less n, so the spare ones go where observed / expected is largest and
// level it: each bin is filled up to observed * level, where that is more than it has.
void spread(Bins& bins, double n) {
  const auto filled = [](const FitBin& bin, double level) {
    return std::max(bin.expected, static_cast<double>(bin.observed) * level);
  };
  const auto total = [&](double level) {
    return std::accumulate(bins.begin(), bins.end(), 0.0,
                           [&](double sum, const FitBin& bin) { return sum + filled(bin, level); });
  };
  // At level 1 all bins together have at least as many as were observed: n.
  double low = 0;
  double high = 1;
  constexpr int kHalvings = 100;
  for (int step = 0; step < kHalvings; ++step) {
    const double middle = (low + high) / 2;
    (total(middle) <= n ? low : high) = middle;
  }
  for (FitBin& bin : bins) bin.expected = filled(bin, low);
}

double chi_square_of(const Bins& bins) {
  double sum = 0;
  for (const FitBin& bin : bins) {
    const double excess = static_cast<double>(bin.observed) - bin.expected;
    if (bin.expected > 0) {
      sum += excess * excess / bin.expected;
    } else if (bin.observed > 0) {
      return std::numeric_limits<double>::infinity();
    }
  }
  return sum;
}

}  // namespace

GoodnessOfFit goodness_of_fit(const ExactDistribution& exact,
                              std::span<const std::optional<base::Nanoseconds>> samples) {
  GoodnessOfFit fit;
  const auto n = static_cast<double>(samples.size());
  Bins bins = bins_of(exact, n);
  for (const auto& sample : samples) {
    FitBin* const bin = bin_of(bins, sample);
    ++(bin != nullptr ? bin->observed : fit.unvisited_observed);
  }
  fit.bins = pooled(bins);
  const bool may_be_elsewhere = n * exact.unvisited() >= kLeastExpected;
  if (may_be_elsewhere) {
    fit.bins.push_back({.low = {}, .high = {}, .visited = false});
    fit.bins.back().observed = fit.unvisited_observed;
  } else {
    // Judged by their number alone; here they must be somewhere, for the counts to add up.
    fit.bins.back().observed += fit.unvisited_observed;
  }
  spread(fit.bins, n);
  fit.chi_square = chi_square_of(fit.bins);
  fit.degrees = fit.bins.size() - 1;
  if (fit.degrees > 0) fit.p_value = chi_square_upper_tail(fit.chi_square, fit.degrees);
  if (fit.unvisited_observed > 0)
    fit.unvisited_p_value = 1 - binomial_cdf(static_cast<std::int64_t>(fit.unvisited_observed) - 1,
                                             samples.size(), exact.unvisited());
  return fit;
}

}  // namespace analysis
