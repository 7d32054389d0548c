#pragma once

// Trials that a block has run, one line each, so that a block that was interrupted need not run
// them again.

#include "analysis/trial.hh"
#include "base/file_descriptor.hh"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace harness {

class TrialStore {
 public:
  // Reads what is there already; a line that a kill cut short is taken away. Throws LabError where
  // another line cannot be read.
  explicit TrialStore(const std::filesystem::path& file);

  // The stored trial of this pattern, once: who asks again wants it run anew.
  std::optional<analysis::Trial> take(const analysis::LossPattern& pattern);
  // Appends with one write(2).
  void add(const analysis::Trial& trial);

 private:
  base::FileDescriptor file_;
  std::map<analysis::LossPattern, analysis::Trial> known_;
};

// All trials of such a file, in its order.
std::vector<analysis::Trial> read_trials(const std::filesystem::path& file);

}  // namespace harness
