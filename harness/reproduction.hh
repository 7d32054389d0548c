#pragma once

// A query of a run made to happen again, alone: the fewest losses that do it, a scenario of them,
// and how often it happens with and without.

#include "harness/command_line.hh"
#include "harness/image.hh"
#include "harness/stored_run.hh"

#include <cstddef>
#include <string>

namespace harness {

// The query asked again and again, alone.
struct Control {
  std::size_t asked = 0;
  std::size_t answered = 0;
  std::size_t as_recorded = 0;  // ended as the reproduction says
};

struct Reproduction {
  std::string scenario;  // a file's text; empty where there is none
  std::string why_none;
  std::string losses;    // what was found of them, in words
  Control without_loss;  // each packet passes
  Control with_losses;   // those of `scenario` are dropped
};

// Runs lab kernels. What cannot be reproduced (a run in real time, an end that comes from elsewhere
// than losses) has a reason; a lab that breaks or an interruption is a LabError.
Reproduction reproduce(const CommandLine& command, const Image& image, const StoredRun& run,
                       const std::string& id);

}  // namespace harness
