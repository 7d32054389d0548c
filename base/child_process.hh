#pragma once

// Child processes: started from an argument vector, never through a shell; ended with their parent.

#include "base/file_descriptor.hh"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace base {

struct ChildSpec {
  // argv[0] is the program's path; it is not searched for.
  std::vector<std::string> argv;
  // Complete environment, "NAME=value".
  std::vector<std::string> environment;
  // Descriptors that the child gets: (ours, its number there). 0, 1 and 2 that are not named become
  // /dev/null, /dev/null and our own standard error.
  std::vector<std::pair<int, int>> descriptors;
  // Namespace to enter before exec, or -1. Ours to keep open.
  int network_namespace = -1;
  // Directory that becomes the program's root directory; ours where empty. argv[0] is looked up in
  // it.
  std::string root{};
  // User and group that the program runs as, without any of our groups and capabilities, and
  // without a way to new ones; ours where empty.
  std::optional<uid_t> user{};
  // Bytes up to which it and its children may make any one file grow; a write beyond fails with
  // EFBIG, and nothing else happens to them. No limit where empty.
  std::optional<std::uint64_t> largest_file{};
  // The one processor that it and its children run on; any where empty.
  std::optional<int> processor{};
  // Out of reach of the terminal's Ctrl-C, which is ours to answer.
  bool own_process_group = false;
};

// How a child ended.
struct ExitStatus {
  int code = 0;    // exit code, where it exited
  int signal = 0;  // signal number, where one ended it
  bool operator==(const ExitStatus&) const = default;
  bool succeeded() const { return code == 0 && signal == 0; }
  std::string describe() const;  // "exit code 3", "signal 11 (Segmentation fault)"
};

// Owns a running child. The kernel kills the child when we die (PR_SET_PDEATHSIG); destruction
// kills and reaps it.
class ChildProcess {
 public:
  // Throws SystemError when the program cannot be started, with exec's own reason.
  explicit ChildProcess(const ChildSpec& spec);
  ChildProcess(ChildProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // Readable when the child has ended.
  const FileDescriptor& pidfd() const { return pidfd_; }
  void send_signal(int number);
  // Reaps if ended, nullopt while it runs.
  std::optional<ExitStatus> poll();
  ExitStatus wait();

 private:
  pid_t pid_ = -1;
  FileDescriptor pidfd_;
};

}  // namespace base
