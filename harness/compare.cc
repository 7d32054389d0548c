#include "harness/compare.hh"

#include "base/errors.hh"

namespace harness {

int compare(const CommandLine& /*command*/) {
  throw base::LabError("compare: not there yet");
}

}  // namespace harness
