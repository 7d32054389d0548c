#pragma once

// exact.json: the result of a walk (docs/exact-tails.md).

#include "harness/exact_cell.hh"
#include "harness/exact_text.hh"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace harness {

// What a walk was made of, for its result and for people.
struct ExactFacts {
  std::string scenario;
  std::string seed;
  std::string kernel;
  std::string version;  // of labrun
  std::string reproduce;
  std::string directory;  // of the result, as people would write it
  std::uint32_t max_drops = 0;
  std::uint64_t runs = 0;
  double real_seconds = 0;

  double real_milliseconds_per_run() const {
    return runs == 0 ? 0 : real_seconds * 1000 / static_cast<double>(runs);
  }
};

nlohmann::ordered_json to_json(const ExactFacts& facts);
std::string exact_to_json(std::span<const ExactCell> cells, std::span<const FittedCell> fitted,
                          const ExactFacts& facts);

}  // namespace harness
