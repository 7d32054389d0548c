#pragma once

// Randomness that a seed decides. Every consumer gets a generator of its own, forked by name, so
// that adding a consumer changes no other's draws.

#include <cstdint>
#include <limits>
#include <string_view>

namespace base {

using Seed = std::uint64_t;

// A seed that depends on `parent` and `name` only: derive_seed(scenario, "block/3/query/doq:117").
Seed derive_seed(Seed parent, std::string_view name);

// SplitMix64 (Steele, Lea, Flood 2014). Meets std::uniform_random_bit_generator.
class Rng {
 public:
  using result_type = std::uint64_t;
  explicit Rng(Seed seed) : state_(seed) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()();
  // Uniform in [0, bound), without the bias of a plain remainder. `bound` > 0.
  std::uint64_t below(std::uint64_t bound);

 private:
  std::uint64_t state_;
};

}  // namespace base
