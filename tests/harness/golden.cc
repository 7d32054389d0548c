#include "tests/harness/golden.hh"

#include "base/file_descriptor.hh"
#include "tests/paths.hh"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace harness {

void expect_golden(std::string_view name, std::string_view text) {
  const std::filesystem::path path = tests::source_folder() / "tests/golden" / name;
  if (std::getenv("LABRUN_UPDATE_GOLDEN") != nullptr) base::write_file_atomically(path, text);
  ASSERT_TRUE(std::filesystem::exists(path)) << path << "; see tests/harness/golden.hh";
  EXPECT_EQ(base::read_file(path), text) << path;
}

}  // namespace harness
