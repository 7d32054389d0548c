#include "harness/run_directory.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "base/temporary_folder.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace harness {
namespace {

namespace fs = std::filesystem;

class RunDirectoryTest : public testing::Test {
 protected:
  base::TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
};

TEST_F(RunDirectoryTest, IsCreatedWithItsParents) {
  const RunDirectory directory = RunDirectory::create(folder_ / "a" / "b", "smoke");
  EXPECT_TRUE(fs::is_directory(folder_ / "a" / "b" / "captures"));
  EXPECT_TRUE(fs::is_directory(folder_ / "a" / "b" / "logs"));
  EXPECT_EQ(directory.block(12), folder_ / "a" / "b" / "blocks" / "12");
}

TEST_F(RunDirectoryTest, NeverTakesAFolderThatHoldsSomething) {
  base::write_file_atomically(folder_ / "precious", "x");
  EXPECT_THROW(RunDirectory::create(folder_, "smoke"), base::LabError);
  EXPECT_EQ(base::read_file(folder_ / "precious"), "x");
}

TEST_F(RunDirectoryTest, WritesWholeFilesAndAppends) {
  const RunDirectory directory = RunDirectory::create(folder_ / "run", "smoke");
  directory.write("manifest.json", "one");
  directory.write("manifest.json", "two");
  directory.append("queries.jsonl", "a\n");
  directory.append("queries.jsonl", "b\n");
  EXPECT_EQ(base::read_file(folder_ / "run" / "manifest.json"), "two");
  EXPECT_EQ(base::read_file(folder_ / "run" / "queries.jsonl"), "a\nb\n");
}

TEST_F(RunDirectoryTest, HandingOverTakesAwayWhatOnlyTheRunNeeded) {
  const RunDirectory directory = RunDirectory::create(folder_ / "run", "smoke");
  fs::create_directories(directory.scratch(3));
  fs::create_directories(directory.block(4));
  directory.hand_over();
  EXPECT_FALSE(fs::exists(folder_ / "run" / ".scratch"));
  // An unfinished block's own files stay.
  EXPECT_TRUE(fs::exists(directory.block(4)));
}

}  // namespace
}  // namespace harness
