#pragma once

// A comparison as tables for people, at most 100 columns wide; only names of cells may be longer.

#include "harness/paired_cells.hh"
#include "harness/table_text.hh"

#include <string>
#include <vector>

namespace harness {

// A line above or below the tables.
struct Remark {
  std::string label;
  std::string text;
};

struct CellsToShow {
  std::string name;  // empty where the remarks name the cells
  const PairedCells* pairs = nullptr;
};

// `remarks` say what A and B are, and what is to be known about them.
std::string render_comparison(const std::vector<Remark>& remarks,
                              const std::vector<CellsToShow>& cells, Colors colors);

}  // namespace harness
