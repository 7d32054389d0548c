#pragma once

// Which queries of a run a person means: ids, or words for the slow and the usual ones.

#include "base/clock.hh"
#include "harness/stored_run.hh"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

// A query without an answer is slower than any other; equally slow ones have the order of the file.
class QueryChoice {
 public:
  // Reads the run's records once; `run` must outlive the choice.
  explicit QueryChoice(const StoredRun& run);

  // The id that is meant by "doq:117", "worst", "median", or of one cell "doq:worst". Throws
  // BadInput for what names no query of the run, and says what would.
  std::string one(const std::string& words) const;
  // One or several: also "slowest:50", or of one cell "doq:slowest:50", the slowest one first.
  // Fewer where the run has fewer.
  std::vector<std::string> several(const std::string& words) const;

 private:
  struct Candidate {
    std::string id;
    std::string cell;
    std::optional<base::Nanoseconds> time;
  };
  static bool is_faster(const Candidate* left, const Candidate* right);
  // Those of the cell, or all where it is empty.
  std::vector<const Candidate*> of_cell(std::string_view cell) const;
  std::vector<std::string> slowest(std::string_view cell, std::size_t count) const;
  std::optional<std::string> median(std::string_view cell) const;
  [[noreturn]] void refuse(const std::string& words, std::string_view more) const;

  const StoredRun& run_;
  std::vector<Candidate> candidates_;  // in the order of the file
};

}  // namespace harness
