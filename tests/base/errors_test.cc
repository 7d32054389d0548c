#include "base/errors.hh"

#include <gtest/gtest.h>

#include <fcntl.h>

namespace base {
namespace {

TEST(Errors, SystemErrorSaysWhatWasAttemptedOnWhatAndWhy) {
  try {
    check_syscall(::open("/nonexistent/file", O_RDONLY), "open {}", "/nonexistent/file");
    FAIL() << "nothing was thrown";
  } catch (const SystemError& error) {
    EXPECT_STREQ(error.what(), "open /nonexistent/file: No such file or directory");
    EXPECT_EQ(error.error_number(), ENOENT);
  }
}

TEST(Errors, SuccessfulResultsPassThrough) {
  EXPECT_EQ(check_syscall(7, "call"), 7);
}

TEST(Errors, ContextsNestFromTheOutside) {
  try {
    with_context("block 3",
                 [] { with_context("start labdns", [] { throw LabError("no such program"); }); });
    FAIL() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_EQ(describe_nested(error), "block 3: start labdns: no such program");
  }
}

TEST(ErrorsDeathTest, AssertionsHoldInEveryBuild) {
  EXPECT_DEATH(LABRUN_ASSERT(1 + 1 == 3), "assertion failed: 1 \\+ 1 == 3");
}

}  // namespace
}  // namespace base
