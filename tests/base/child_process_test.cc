#include "base/child_process.hh"

#include "base/clock.hh"
#include "base/errors.hh"
#include "base/line_reader.hh"
#include "base/temporary_folder.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace base {
namespace {

TEST(ChildProcess, GetsItsArgumentsEnvironmentAndDescriptors) {
  Pipe output = make_pipe();
  ChildProcess child({.argv = {"/bin/sh", "-c", "echo \"$0 $NAME\" >&5", "a b"},
                      .environment = {"NAME=value"},
                      .descriptors = {{output.write_end.number(), 5}}});
  output.write_end.close();
  SystemClock clock;
  LineReader lines(output.read_end);
  EXPECT_EQ(lines.next(clock, clock.now() + std::chrono::hours(1), "output"), "a b value");
  EXPECT_TRUE(child.wait().succeeded());
}

TEST(ChildProcess, DescriptorsMayChangePlaces) {
  Pipe first = make_pipe();
  Pipe second = make_pipe();
  const int low = first.write_end.number();
  const int high = second.write_end.number();
  ChildProcess child(
      {.argv = {"/bin/sh", "-c",
                "echo first >&" + std::to_string(high) + "; echo second >&" + std::to_string(low)},
       .environment = {},
       .descriptors = {{low, high}, {high, low}}});
  EXPECT_TRUE(child.wait().succeeded());
  EXPECT_EQ(read_some(first.read_end, 100), "first\n");
  EXPECT_EQ(read_some(second.read_end, 100), "second\n");
}

TEST(ChildProcess, SaysWhyAProgramCannotBeStarted) {
  try {
    ChildProcess child({.argv = {"/nonexistent/program"}, .environment = {}, .descriptors = {}});
    FAIL() << "nothing was thrown";
  } catch (const SystemError& error) {
    EXPECT_STREQ(error.what(), "start /nonexistent/program: No such file or directory");
  }
}

TEST(ChildProcess, BecomesAnotherUserWithNothingOfOurs) {
  Pipe output = make_pipe();
  try {
    ChildProcess child(
        {.argv = {"/bin/sh", "-c", "id -u; id -g; id -G; grep CapEff /proc/self/status"},
         .environment = {"PATH=/usr/bin:/bin"},
         .descriptors = {{output.write_end.number(), 1}},
         .user = 65534});
    output.write_end.close();
    SystemClock clock;
    LineReader lines(output.read_end);
    const auto next = [&] {
      return lines.next(clock, clock.now() + std::chrono::hours(1), "output").value_or("");
    };
    for (int line = 0; line < 3; ++line) EXPECT_EQ(next(), "65534");
    EXPECT_EQ(next(), "CapEff:\t0000000000000000");
    EXPECT_TRUE(child.wait().succeeded());
  } catch (const SystemError& error) {
    GTEST_SKIP() << "needs the right to become another user: " << error.what();
  }
}

TEST(ChildProcess, MayNotFillTheDiskAndLivesOn) {
  const TemporaryFolder folder;
  Pipe output = make_pipe();
  ChildProcess child({.argv = {"/bin/sh", "-c",
                               "head -c 100000 /dev/zero >" + (folder.path() / "log").string() +
                                   "; echo alive >&3"},
                      .environment = {"PATH=/usr/bin:/bin"},
                      .descriptors = {{output.write_end.number(), 3}},
                      .largest_file = 10'000});
  output.write_end.close();
  EXPECT_EQ(read_some(output.read_end, 100), "alive\n");
  EXPECT_TRUE(child.wait().succeeded());
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "log"), 10'000U);
}

TEST(ChildProcess, ReportsHowItEnded) {
  ChildProcess failing({.argv = {"/bin/sh", "-c", "exit 3"}, .environment = {}, .descriptors = {}});
  EXPECT_EQ(failing.wait().describe(), "exit code 3");
  // Stopped, it does not end by itself, however long the signal takes.
  ChildProcess waiting(
      {.argv = {"/bin/sh", "-c", "kill -STOP $$"}, .environment = {}, .descriptors = {}});
  waiting.send_signal(SIGKILL);
  EXPECT_EQ(waiting.wait().signal, SIGKILL);
}

TEST(ChildProcess, EndsWithItsOwner) {
  pid_t pid = 0;
  Pipe open_while_alive = make_pipe();
  {
    ChildProcess child({.argv = {"/bin/sh", "-c", "read forever <&4"},
                        .environment = {},
                        .descriptors = {{open_while_alive.read_end.number(), 4}}});
    pid = child.pid();
    EXPECT_EQ(child.poll(), std::nullopt);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(LineReader, CutsLinesAndSaysWhenTheStreamEnds) {
  Pipe pipe = make_pipe();
  SystemClock clock;
  LineReader lines(pipe.read_end, 10);
  write_all(pipe.write_end, "one\ntwo\nthr");
  const Instant soon = clock.now() + std::chrono::hours(1);
  EXPECT_EQ(lines.next(clock, soon, "lines"), "one");
  EXPECT_EQ(lines.next(clock, soon, "lines"), "two");
  EXPECT_EQ(lines.next(clock, clock.now(), "lines"), std::nullopt);
  write_all(pipe.write_end, "ee and much more than ten");
  EXPECT_THROW(lines.next(clock, soon, "lines"), LabError);
  pipe.write_end.close();
  LineReader at_end(pipe.read_end);
  EXPECT_THROW(at_end.next(clock, soon, "lines"), LabError);
}

}  // namespace
}  // namespace base
