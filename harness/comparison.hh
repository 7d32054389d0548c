#pragma once

// Two runs, or two cells of one run, read side by side and block by block.

#include "harness/paired_cells.hh"
#include "harness/stored_run.hh"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace harness {

// What is to be paired; of two runs the cells of the same name.
struct CellChoice {
  std::string a;
  std::string b;
};

struct ComparedCells {
  CellChoice names;
  PairedCells pairs;
};

struct Comparison {
  std::vector<ComparedCells> cells;  // in the order in which they were chosen
  // Blocks that are left out because one side's, or both, failed its fidelity proof.
  std::set<std::uint64_t> invalid_of_a;
  std::set<std::uint64_t> invalid_of_b;
};

// The cells that both plans have, in the order of A's.
std::vector<CellChoice> cells_in_common(const Plan& a, const Plan& b);

// Of a cell that `plan` has.
base::Nanoseconds timeout_of(const Plan& plan, const std::string& cell);

// `a` and `b` may be the same run, and all of `cells` are cells of theirs. Throws LabError where
// the records of a run are malformed or not in the order of its plan.
Comparison compare_runs(const StoredRun& a, const StoredRun& b, std::span<const CellChoice> cells);

}  // namespace harness
