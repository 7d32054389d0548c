// A run is a pure function of scenario and seed.

#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gtest/gtest.h>

namespace e2e {
namespace {

class Repeat : public testing::Test {
 protected:
  // A small loss2pct: 4 blocks, every transport.
  std::filesystem::path run(const std::string& name, const std::string& seed,
                            const std::string& jobs) {
    const std::filesystem::path directory = folder_.path() / name;
    const Outcome outcome =
        run_program({"labrun", scenario("loss2pct"), "--queries", "24", "--blocks", "4", "--seed",
                     seed, "--jobs", jobs, "--set", "expect=[]", "--out", directory});
    EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
    return directory;
  }

  TemporaryFolder folder_;
};

TEST_F(Repeat, TheSameSeedGivesTheSameBytesWhateverRunsBesideIt) {
  const auto first = run("first", "7", "1");
  const auto again = run("a-second-run-in-a-folder-with-a-longer-name", "7", "2");
  const auto captures = read_captures(first);
  ASSERT_EQ(captures.size(), 8U);
  // Compared by name and as wholes: a difference prints names, not megabytes.
  for (const auto& [name, bytes] : read_captures(again))
    EXPECT_TRUE(captures.at(name) == bytes) << name << " differs";
  EXPECT_EQ(read_records(first), read_records(again));
}

TEST_F(Repeat, AnotherSeedGivesAnotherRun) {
  const auto first = run("first", "7", "2");
  const auto other = run("other", "8", "2");
  EXPECT_NE(read_captures(first), read_captures(other));
  EXPECT_NE(read_records(first), read_records(other));
}

}  // namespace
}  // namespace e2e
