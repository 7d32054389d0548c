#include "tests/paths.hh"

namespace tests {

std::filesystem::path source_folder() {
  return LABRUN_SOURCE;
}

std::filesystem::path programs_folder() {
  return source_folder() / "build";
}

std::filesystem::path checked_programs_folder() {
  return LABRUN_BUILD;
}

}  // namespace tests
