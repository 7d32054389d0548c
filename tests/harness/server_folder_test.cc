#include "harness/server_folder.hh"

#include "base/errors.hh"
#include "base/temporary_folder.hh"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <unistd.h>

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

class ServerFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  }

  // Of the entry itself, not of what it may lead to.
  static uid_t owner(const fs::path& path) {
    struct stat found{};
    EXPECT_EQ(::lstat(path.c_str(), &found), 0) << path;
    return found.st_uid;
  }

  base::TemporaryFolder place_;
  fs::path path_ = place_.path() / "server-0";
};

TEST_F(ServerFolderTest, IsOursUntilEverythingIsWritten) {
  const ServerFolder folder(path_, kNobody);
  folder.write({"unbound.conf", "server:\n"});
  const base::FileDescriptor socket = folder.make_notify_socket("unbound.notify");
  EXPECT_EQ(owner(path_), 0U);
  EXPECT_EQ(owner(path_ / "unbound.conf"), kNobody);
  EXPECT_EQ(owner(path_ / "unbound.notify"), kNobody);
  folder.hand_over();
  EXPECT_EQ(owner(path_), kNobody);
}

TEST_F(ServerFolderTest, GivesAwayNothingThatALinkLeadsTo) {
  const fs::path precious = place_.path() / "precious";
  base::write_file_atomically(precious, "ours");
  const ServerFolder folder(path_, kNobody);
  fs::create_symlink(precious, path_ / "key.pem");
  folder.write({"key.pem", "theirs"});
  EXPECT_EQ(base::read_file(precious), "ours");
  fs::rename(path_, place_.path() / "elsewhere");
  fs::create_symlink(precious, path_);
  folder.hand_over();
  EXPECT_EQ(owner(precious), 0U);
}

TEST_F(ServerFolderTest, TakesNoFolderThatIsThere) {
  fs::create_directory(path_);
  EXPECT_THROW(ServerFolder(path_, kNobody), base::SystemError);
}

}  // namespace
}  // namespace harness
