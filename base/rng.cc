#include "base/rng.hh"

#include "base/errors.hh"

namespace base {

Seed derive_seed(Seed parent, std::string_view name) {
  // FNV-1a over the name, mixed with the parent by one SplitMix64 step each.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char character : name)
    hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3U;
  return Rng(Rng(parent)() ^ hash)();
}

Rng::result_type Rng::operator()() {
  std::uint64_t word = (state_ += 0x9e3779b97f4a7c15U);
  word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31U);
}

std::uint64_t Rng::below(std::uint64_t bound) {
  LABRUN_ASSERT(bound > 0);
  const std::uint64_t unbiased = max() - max() % bound;
  for (;;) {
    const std::uint64_t draw = (*this)();
    if (draw < unbiased) return draw % bound;
  }
}

}  // namespace base
