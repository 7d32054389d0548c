#include "base/temporary_folder.hh"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>

namespace base {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, GoesWithItsOwnerAndAllThatIsInIt) {
  std::optional<TemporaryFolder> folder(std::in_place);
  const fs::path path = folder->path();
  EXPECT_TRUE(fs::is_empty(path));
  fs::create_directory(path / "a");
  std::ofstream(path / "a" / "b") << "c";
  folder.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, StaysWhereItIsKept) {
  std::optional<TemporaryFolder> folder(std::in_place);
  const fs::path path = folder->path();
  folder->keep();
  folder.reset();
  EXPECT_TRUE(fs::exists(path));
  fs::remove_all(path);
}

TEST(TemporaryFolder, AnotherOneIsAnotherFolder) {
  EXPECT_NE(TemporaryFolder().path(), TemporaryFolder().path());
}

}  // namespace
}  // namespace base
