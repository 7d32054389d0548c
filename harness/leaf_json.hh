#pragma once

// What a walk found, one line a pattern: the pattern, what it came to, and what its probability
// depends on.

#include "analysis/exact_distribution.hh"
#include "analysis/trial.hh"

#include <filesystem>
#include <string>
#include <vector>

namespace harness {

struct WalkedLeaf {
  analysis::LossPattern pattern;
  analysis::Leaf leaf;
};

std::string to_json_line(const WalkedLeaf& leaf);
// Throws LabError that names the line.
std::vector<WalkedLeaf> read_leaves(const std::filesystem::path& file);

}  // namespace harness
