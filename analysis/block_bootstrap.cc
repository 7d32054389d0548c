#include "analysis/block_bootstrap.hh"

#include "analysis/percentile.hh"

#include <algorithm>
#include <format>
#include <limits>
#include <map>
#include <utility>

namespace analysis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// 2.5 % of the draws lie below the lower bound or on it.
constexpr std::size_t kBoundRank = kBootstrapDraws / 40;

struct Sample {
  std::optional<base::Nanoseconds> time;
  std::size_t block = 0;  // from 0, without gaps
};

// One side's samples, ascending, the censored ones last. A draw only says how often each block's
// samples count, so that no draw has to sort.
class Side {
 public:
  void add(Sample sample) { samples_.push_back(sample); }
  void sort() {
    std::ranges::stable_sort(samples_, [](const Sample& left, const Sample& right) {
      if (!left.time || !right.time) return left.time.has_value() && !right.time.has_value();
      return *left.time < *right.time;
    });
  }

  // The `rank`-th smallest, from 1, where each sample counts as often as its block was drawn.
  std::optional<base::Nanoseconds> at_rank(std::uint64_t rank,
                                           std::span<const std::uint64_t> times_drawn) const {
    std::uint64_t passed = 0;
    for (const Sample& sample : samples_) {
      passed += times_drawn[sample.block];
      if (passed >= rank) return sample.time;
    }
    return std::nullopt;
  }

 private:
  std::vector<Sample> samples_;
};

struct Sides {
  Side a;
  Side b;
  std::vector<std::uint64_t> block_sizes;
};

Sides arrange(std::span<const QueryPair> pairs) {
  Sides sides;
  std::map<std::uint64_t, std::size_t> numbers;
  for (const QueryPair& pair : pairs) numbers.try_emplace(pair.block, 0);
  for (std::size_t next = 0; auto& [block, number] : numbers) number = next++;
  sides.block_sizes.resize(numbers.size());
  for (const QueryPair& pair : pairs) {
    const std::size_t block = numbers[pair.block];
    ++sides.block_sizes[block];
    sides.a.add({.time = pair.a, .block = block});
    sides.b.add({.time = pair.b, .block = block});
  }
  sides.a.sort();
  sides.b.sort();
  return sides;
}

Difference difference_at(const Sides& sides, double p, std::span<const std::uint64_t> times_drawn) {
  std::uint64_t n = 0;
  for (std::size_t block = 0; block < times_drawn.size(); ++block)
    n += times_drawn[block] * sides.block_sizes[block];
  const std::uint64_t rank = nearest_rank(n, p);
  return difference(sides.a.at_rank(rank, times_drawn), sides.b.at_rank(rank, times_drawn));
}

// The `rank`-th smallest, from 1.
double bound(const std::vector<Difference>& draws, std::size_t rank, double unknown) {
  std::vector<double> values;
  values.reserve(draws.size());
  for (const Difference& draw : draws) values.push_back(draw.value_or(unknown));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::ranges::nth_element(values, at);
  return *at;
}

void set_interval(PercentileDifference& result, const std::vector<Difference>& draws) {
  result.lower = bound(draws, kBoundRank, -kInfinity);
  result.upper = bound(draws, kBootstrapDraws + 1 - kBoundRank, kInfinity);
}

}  // namespace

std::vector<PercentileDifference> percentile_differences(std::span<const QueryPair> pairs,
                                                         std::span<const double> ps,
                                                         base::Rng rng) {
  const Sides sides = arrange(pairs);
  const std::size_t blocks = sides.block_sizes.size();
  std::vector<std::vector<Difference>> draws(ps.size());
  for (std::size_t draw = 0; draw < kBootstrapDraws && blocks >= kBootstrapBlocks; ++draw) {
    std::vector<std::uint64_t> times_drawn(blocks);
    for (std::size_t drawn = 0; drawn < blocks; ++drawn) ++times_drawn[rng.below(blocks)];
    for (std::size_t i = 0; i < ps.size(); ++i)
      draws[i].push_back(difference_at(sides, ps[i], times_drawn));
  }
  const std::vector<std::uint64_t> as_measured(blocks, 1);
  std::vector<PercentileDifference> results;
  for (std::size_t i = 0; i < ps.size(); ++i) {
    PercentileDifference result{.p = ps[i], .value = {}, .lower = {}, .upper = {}, .reason = {}};
    if (pairs.size() < samples_needed(ps[i])) {
      result.reason = too_few_samples(pairs.size(), ps[i]);
    } else {
      result.value = difference_at(sides, ps[i], as_measured);
      if (!result.value) result.reason = "beyond the timeout on both sides";
      if (blocks >= kBootstrapBlocks) {
        set_interval(result, draws[i]);
      } else if (result.reason.empty()) {
        result.reason =
            std::format("{} blocks give no interval: it takes {}", blocks, kBootstrapBlocks);
      }
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace analysis
