#pragma once

// netem's random draws and loss models, from their published definitions, to predict which packets
// a seed loses.

#include "base/rng.hh"

#include <cstdint>
#include <functional>
#include <vector>

namespace netns {

// LFSR113 (L'Ecuyer 1999, "Tables of maximally-equidistributed combined LFSR generators"), seeded
// as Linux does for a given 64-bit seed, without warm-up.
class NetemDraws {
 public:
  explicit NetemDraws(base::Seed seed);
  std::uint32_t next();

 private:
  std::uint32_t z1_, z2_, z3_, z4_;
};

// Numbers below `count` for which `is_lost` holds, asked in order.
std::vector<std::uint32_t> predict_losses(std::uint32_t count,
                                          const std::function<bool()>& is_lost);

}  // namespace netns
