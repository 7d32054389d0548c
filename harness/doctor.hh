#pragma once

// What this machine can do for labrun, and what to do about what is missing.

#include <iosfwd>
#include <string>
#include <vector>

namespace harness {

struct Finding {
  enum class State {
    kGood,
    kUseful,
    kMissing
  };  // kUseful: missing, but the default works without it
  State state = State::kGood;
  std::string subject;  // "lab kernel"
  std::string text;     // what was found, and what to do
};

std::vector<Finding> diagnose();

// One line each. kExitSuccess where scenarios can be run by default, kExitLabFailure otherwise.
int print_diagnosis(std::ostream& out);

}  // namespace harness
