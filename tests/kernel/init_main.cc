// PID 1 of a lab kernel that runs one test program and says how it ended: tests/kernel/run.

#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace {

[[noreturn]] void become(const char* program) {
  // LeakSanitizer cannot attach in this kernel.
  char* environment[] = {const_cast<char*>("ASAN_OPTIONS=detect_leaks=0"),
                         const_cast<char*>("TMPDIR=/run"), nullptr};
  char* arguments[] = {const_cast<char*>(program), const_cast<char*>("--gtest_color=no"), nullptr};
  ::execve(program, arguments, environment);
  std::perror(program);
  ::_exit(127);
}

}  // namespace

int main() {
  ::mount("none", "/proc", "proc", 0, "");
  ::mount("none", "/sys", "sysfs", 0, "");
  // Not at /tmp, below which the test program itself may be.
  ::mount("none", "/run", "tmpfs", 0, "");
  const pid_t test = ::fork();
  if (test == 0) become(std::getenv("TEST_PROGRAM"));
  int status = 0;
  ::waitpid(test, &status, 0);
  std::printf("the test program ended: %s %d\n", WIFEXITED(status) ? "exit code" : "signal",
              WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  std::fflush(stdout);
  ::reboot(RB_POWER_OFF);
}
