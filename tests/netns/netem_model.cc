#include "tests/netns/netem_model.hh"

#include <algorithm>

namespace netns {
namespace {

// One component: `k` high bits take part, shifts `q` and `s` are the table's.
std::uint32_t step(std::uint32_t& z, unsigned q, unsigned k, unsigned s) {
  const std::uint32_t mask = ~0U << (32 - k);
  z = ((z & mask) << s) ^ (((z << q) ^ z) >> (k - s));
  return z;
}

}  // namespace

NetemDraws::NetemDraws(base::Seed seed) {
  // Each component needs a state of at least its own minimum.
  const auto folded = static_cast<std::uint32_t>((seed >> 32U) ^ (seed << 10U) ^ seed);
  const auto at_least = [&](std::uint32_t minimum) {
    return folded < minimum ? folded + minimum : folded;
  };
  z1_ = at_least(2);
  z2_ = at_least(8);
  z3_ = at_least(16);
  z4_ = at_least(128);
}

std::uint32_t NetemDraws::next() {
  return step(z1_, 6, 31, 18) ^ step(z2_, 2, 29, 2) ^ step(z3_, 13, 28, 7) ^ step(z4_, 3, 25, 13);
}

std::vector<std::uint32_t> predict_losses(std::uint32_t count,
                                          const std::function<bool()>& is_lost) {
  std::vector<std::uint32_t> lost;
  for (std::uint32_t number = 0; number < count; ++number)
    if (is_lost()) lost.push_back(number);
  return lost;
}

}  // namespace netns
