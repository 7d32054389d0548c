#pragma once

// A running lab kernel: Linux as a user process (ARCH=um) with virtual time. Its clock stands still
// while anybody works and jumps to the next timer when nobody does, so a measurement in it is exact
// and waiting costs nothing.

#include "base/child_process.hh"
#include "base/file_descriptor.hh"
#include "base/rng.hh"
#include "harness/image.hh"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace harness {

struct LabKernelSpec {
  std::filesystem::path kernel;  // the executable
  std::filesystem::path init;    // PID 1, a path of the host
  std::uint32_t memory_megabytes = 512;
  // The kernel and its programs are processes that hand over to each other and never work at once;
  // between processors that costs several times as much.
  std::optional<int> processor;
  base::Seed seed = 0;  // decides everything random inside
  // What PID 1 finds in its environment.
  std::vector<std::pair<std::string, std::string>> environment;
  std::filesystem::path console_log;  // kernel messages and what programs print
  std::filesystem::path scratch;      // for the kernel's own bookkeeping files; must exist
};

// Owns the kernel's process. The host's root directory is the kernel's, read-only. Ends with its
// owner: on destruction, and when the owner is killed, the kernel and everything in it is gone.
class LabKernel {
 public:
  // Throws SystemError where the process cannot be started, and LabError where a path cannot be
  // passed on.
  explicit LabKernel(const LabKernelSpec& spec);

  // What PID 1 writes to its serial line (kMessageLine), byte by byte; ends when the kernel ends.
  const base::FileDescriptor& messages() const { return messages_; }
  base::ChildProcess& process() { return process_; }

  // The device inside the kernel that messages() reads.
  static constexpr const char* kMessageLine = "/dev/ttyS0";
  // The wall clock at every boot, nanoseconds since 1970: a fixed one, because a run depends on its
  // scenario and seed only.
  static constexpr std::int64_t kBootTimeNs = 1'780'000'000'000'000'000;
  static constexpr int kTicksPerSecond = 1000;

 private:
  LabKernel(const LabKernelSpec& spec, base::Pipe messages);

  base::FileDescriptor messages_;
  base::ChildProcess process_;
};

}  // namespace harness
