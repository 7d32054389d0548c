// PID 1 of a lab kernel that runs one test program and says how it ended: tests/kernel/run.

#include "base/child_process.hh"

#include <sys/mount.h>
#include <sys/reboot.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <unistd.h>

int main() {
  try {
    for (const auto& [type, target] :
         {std::pair{"proc", "/proc"}, {"sysfs", "/sys"}, {"tmpfs", "/tmp"}})
      ::mount("none", target, type, 0, "");
    base::ChildProcess test({.argv = {std::getenv("TEST_PROGRAM"), "--gtest_color=no"},
                             // LeakSanitizer cannot attach in this kernel.
                             .environment = {"ASAN_OPTIONS=detect_leaks=0"},
                             .descriptors = {{STDOUT_FILENO, STDOUT_FILENO}}});
    std::printf("the test program ended: %s\n", test.wait().describe().c_str());
  } catch (const std::exception& error) {
    std::printf("the test program could not be run: %s\n", error.what());
  }
  std::fflush(stdout);
  ::sync();
  ::reboot(RB_POWER_OFF);
}
