#include "harness/program_version.hh"

#include <gtest/gtest.h>

#include <string>

namespace harness {
namespace {

// Each look at it takes six seconds.
class HastyClock final : public base::Clock {
 public:
  base::Instant now() const override { return now_ += std::chrono::seconds(6); }

 private:
  mutable base::Instant now_{std::chrono::seconds(1000)};
};

VersionCommand shell(const std::string& script) {
  return {.argv = {"/bin/sh", "-c", "PATH=/usr/bin:/bin; " + script}};
}

TEST(ProgramVersion, IsWhatTheProgramSays) {
  const base::SystemClock clock;
  EXPECT_EQ(version_text(shell("echo Version 1.26.2; echo built >&2"), clock),
            "Version 1.26.2\nbuilt\n");
}

TEST(ProgramVersion, OfAProgramWithoutEndIsCutOffByTime) {
  const HastyClock clock;
  const std::string text = version_text(shell("echo 1.26.2; exec sleep 1000"), clock);
  EXPECT_TRUE(text.ends_with("[labrun: it did not end, and was ended]\n")) << text;
}

TEST(ProgramVersion, OfAProgramWithoutEndIsCutOffBySize) {
  const base::SystemClock clock;
  const std::string text = version_text(shell("exec yes 1.26.2"), clock);
  EXPECT_LT(text.size(), 100'000U);
  EXPECT_EQ(version_number(text), "1.26.2");
}

TEST(ProgramVersion, NumberIsTheFirstAmongOtherWords) {
  EXPECT_EQ(version_number("nginx version: nginx/1.26.3\n"), "1.26.3");
  EXPECT_EQ(version_number("no number"), "unknown");
  // Nobody's version, and deep recursion for who tries to match it.
  EXPECT_EQ(version_number("1." + std::string(1'000'000, '7')).size(), 4096U);
}

}  // namespace
}  // namespace harness
