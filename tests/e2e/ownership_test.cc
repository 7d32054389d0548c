// Under sudo the results belong to the person, and an ordinary user gets what root gets.

#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"
#include "tests/paths.hh"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <unistd.h>

namespace e2e {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNobody = "65534";

class Ownership : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root can act as another user";
  }

  static Outcome run_as_nobody(std::vector<std::string> argv) {
    std::vector<std::string> all{"/usr/bin/setpriv", std::string("--reuid=") + kNobody,
                                 std::string("--regid=") + kNobody, "--clear-groups",
                                 "--inh-caps=-all"};
    all.insert(all.end(), argv.begin(), argv.end());
    return run_program(all, {"HOME=/nonexistent"});
  }

  TemporaryFolder folder_;
};

TEST_F(Ownership, UnderSudoTheRunBelongsToTheInvokingUser) {
  const Outcome outcome =
      run_program({"labrun", scenario("smoke"), "--queries", "1", "--set", "expect=[]", "--out",
                   folder_.path() / "run"},
                  {std::string("SUDO_UID=") + kNobody, std::string("SUDO_GID=") + kNobody});
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "run")) {
    struct stat status{};
    ASSERT_EQ(::lstat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 65534U) << entry.path();
  }
}

// From an installed copy, as the README says.
class Installed : public Ownership {
 protected:
  static void SetUpTestSuite() {
    if (::geteuid() != 0) return;
    prefix_ = new TemporaryFolder;
    fs::permissions(prefix_->path(), fs::perms(0755));
    const Outcome outcome =
        run_program({tests::source_folder() / "lab" / "install", prefix_->path()}, {"HOME=/tmp"});
    ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  }
  static void TearDownTestSuite() {
    delete prefix_;
    prefix_ = nullptr;
  }

  static fs::path installed(const std::string& path) { return prefix_->path() / path; }

  static TemporaryFolder* prefix_;
};
TemporaryFolder* Installed::prefix_ = nullptr;

TEST_F(Installed, AnOrdinaryUserGetsWhatRootGets) {
  fs::permissions(folder_.path(), fs::perms(0777));
  const std::vector<std::string> arguments{installed("bin/labrun"),
                                           installed("share/labrun/scenarios/smoke.yaml"),
                                           "--queries",
                                           "2",
                                           "--set",
                                           "expect=[]",
                                           "--out"};
  std::vector<std::string> as_nobody = arguments;
  as_nobody.push_back(folder_.path() / "nobody");
  const Outcome outcome = run_as_nobody(as_nobody);
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  std::vector<std::string> as_root = arguments;
  as_root.push_back(folder_.path() / "root");
  ASSERT_TRUE(run_program(as_root).status.succeeded());
  EXPECT_TRUE(read_captures(folder_.path() / "nobody") == read_captures(folder_.path() / "root"));
}

TEST_F(Installed, AFolderThatCannotBeWrittenToIsNamed) {
  fs::permissions(folder_.path(), fs::perms(0755));
  const Outcome outcome =
      run_as_nobody({installed("bin/labrun"), installed("share/labrun/scenarios/smoke.yaml"),
                     "--out", folder_.path() / "run"});
  EXPECT_EQ(outcome.status.code, 3);
  EXPECT_TRUE(outcome.output.contains((folder_.path() / "run").string())) << outcome.output;
  EXPECT_TRUE(outcome.output.contains("--out")) << outcome.output;
}

TEST_F(Installed, TheDoctorKnowsTheInstalledImage) {
  const Outcome outcome = run_as_nobody({installed("bin/labrun"), "doctor"});
  EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
  EXPECT_TRUE(outcome.output.contains(installed("lib/labrun/image/root").string()))
      << outcome.output;
}

}  // namespace
}  // namespace e2e
