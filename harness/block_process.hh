#pragma once

// One block of a run, being measured by a process of its own: a lab kernel whose PID 1 is labrun,
// or labrun itself on the host's kernel. Either way the same code runs there (harness/block_run.hh)
// and tells us the same messages.

#include "base/child_process.hh"
#include "base/event_loop.hh"
#include "base/file_descriptor.hh"
#include "harness/block_messages.hh"
#include "harness/command_line.hh"
#include "harness/image.hh"
#include "harness/lab_kernel.hh"
#include "harness/plan.hh"
#include "harness/run_directory.hh"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace harness {

// A block is ended when nothing was heard from its lab kernel for so long, in real time. Its clock
// stands still while anybody in it works, so nothing in there could end a program that works
// without pause. What takes longest between two messages, on slow machines, are seconds.
inline constexpr std::chrono::seconds kSilentFor{120};

// What the blocks of a run have in common.
struct BlockPlace {
  const Image& image;
  std::vector<std::filesystem::path> release_roots;  // of server_releases()
  const RunDirectory& directory;
  std::uint32_t memory_megabytes;  // of a lab kernel
};

class BlockProcess {
 public:
  struct Observer {
    std::function<void(const BlockMessage&)> on_message;
    // The process is gone; the argument is empty after a good end, otherwise what went wrong.
    std::function<void(std::string)> on_end;
  };

  // Starts at once. The loop and what `place` refers to must outlive it; `on_end` may destroy
  // nothing but what it owns.
  // A lab kernel stays on `processor`.
  BlockProcess(base::EventLoop& loop, const BlockPlace& place, const PlannedBlock& block,
               KernelKind kind, int processor, Observer observer);
  BlockProcess(const BlockProcess&) = delete;
  BlockProcess& operator=(const BlockProcess&) = delete;
  // Kills what still runs.
  ~BlockProcess();

 private:
  void watch_for_silence();
  void give_up();
  void read_messages();
  void handle_line(std::string_view line);
  void end();

  base::EventLoop& loop_;
  Observer observer_;
  std::filesystem::path results_;
  std::filesystem::path console_log_;
  std::optional<LabKernel> kernel_;
  std::optional<base::ChildProcess> host_process_;
  base::FileDescriptor host_messages_;
  int message_descriptor_ = -1;
  std::string unread_;  // the beginning of a line
  base::EventLoop::TimerId silence_;
  BlockWork doing_;  // the latest
  bool finished_ = false;
  std::string failure_;
};

// Whether this process was started as a block on the host's kernel.
bool is_host_block();
// Runs it; returns the exit code.
int run_host_block();

}  // namespace harness
