#pragma once

// A scenario that does one thing: ask one query while chosen packets meet chosen fates.

#include "analysis/trial.hh"
#include "harness/command_line.hh"
#include "harness/image.hh"
#include "harness/recorded_query.hh"
#include "harness/stored_run.hh"
#include "harness/trial_job.hh"
#include "netns/path_spec.hh"

#include <filesystem>
#include <optional>
#include <string>

namespace harness {

// What is to be recorded, and what it came to.
struct Recording {
  const RecordedQuery& query;
  FateScript script;
  netns::PathSpec path;  // under which the script was carried out
  analysis::Trial trial;
  std::string origin;  // "its packets lost as in the run", for the comment
};

// Throws BadInput where the file exists: nothing is overwritten.
void require_new_file(const std::filesystem::path& file);

// The query's arm with the script as its gate, and the claim that it ends as the trial did. Throws
// BadInput where that cannot be said as a scenario.
Scenario recorded_scenario(const StoredRun& run, const Recording& recording);

// recorded_scenario() as a file's text, with a seed under which it was seen to hold its claim;
// empty where it held under none of several.
std::optional<std::string> proven_scenario(const CommandLine& command, const Image& image,
                                           const StoredRun& run, const Recording& recording);

// Writes it to the file of --record, and says so. False where there is none.
bool record_scenario(const CommandLine& command, const Image& image, const StoredRun& run,
                     const Recording& recording);

}  // namespace harness
