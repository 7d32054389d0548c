#pragma once

// What the minimising of a query's losses came to, as a block writes it into kMinimalFile.

#include "analysis/trial.hh"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace harness {

// The smallest part of a pattern that was found to make the query as slow.
struct MinimalSet {
  analysis::Trial trial;     // with only these lost
  bool one_minimal = false;  // none of them can be spared
  bool smallest = false;     // no fewer of the pattern's do
  bool operator==(const MinimalSet&) const = default;
};

struct Minimising {
  std::size_t trials = 0;  // queries asked
  analysis::Trial lossless;
  analysis::Trial full;               // with the whole pattern lost
  std::optional<MinimalSet> minimal;  // empty where `full` was not slow
  bool operator==(const Minimising&) const = default;
};

std::string to_json(const Minimising& minimising);
// Of a file that we wrote; throws LabError where it is not that.
Minimising parse_minimising(std::string_view text);

}  // namespace harness
