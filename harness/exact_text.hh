#pragma once

// Exact distributions as tables for people.

#include "analysis/goodness_of_fit.hh"
#include "harness/exact_cell.hh"
#include "harness/table_text.hh"

#include <span>
#include <string>

namespace harness {

// Quantiles by loss rate, a table per cell.
std::string render_exact(std::span<const ExactCell> cells, Colors colors);
// Patterns that did not repeat themselves, with both packet lists. Empty where there are none.
std::string render_faults(std::span<const ExactCell> cells);

// A sampled run held against the exact distribution of a cell.
struct FittedCell {
  std::string name;
  std::size_t samples = 0;
  analysis::GoodnessOfFit fit;
};
std::string render_fit(std::span<const FittedCell> cells, Colors colors);

}  // namespace harness
