#pragma once

// Runs the blocks of a plan, as many at once as asked for, until all are done, one fails, or a
// person has enough.

#include "base/event_loop.hh"
#include "harness/block_process.hh"
#include "harness/command_line.hh"
#include "harness/image.hh"
#include "harness/plan.hh"
#include "harness/run_directory.hh"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace harness {

class BlockSchedule {
 public:
  struct Observer {
    std::function<void(std::uint32_t block, const BlockMessage&)> on_message;
    // A block has written its results. Called in the order of ending, which is not the order of the
    // plan.
    std::function<void(const PlannedBlock&)> on_results;
    // A block has failed, and why. Where nobody asks for it, the others end, too.
    std::function<void(const PlannedBlock&, const std::string&)> on_failure{};
  };

  struct Ending {
    bool interrupted = false;  // by SIGINT or SIGTERM
    std::string reason;        // empty after a good end: "SIGINT", or what broke
  };

  // All references must outlive it.
  BlockSchedule(const Plan& plan, const Image& image, const RunDirectory& directory,
                KernelKind kernel, Observer observer);

  // Blocks SIGINT and SIGTERM for the caller from here on, so that they end a run in order. Every
  // process is gone when it returns.
  Ending run(std::size_t jobs);

 private:
  void start_next();
  int take_processor();
  void end_of(const PlannedBlock& block, const std::string& failure);

  const Plan& plan_;
  KernelKind kernel_;
  BlockPlace place_;
  std::deque<int> processors_;                 // the least used one first
  std::map<std::uint32_t, int> processor_of_;  // of running blocks
  Observer observer_;
  base::SystemClock clock_;
  base::EventLoop loop_;
  std::size_t next_ = 0;
  std::map<std::uint32_t, std::unique_ptr<BlockProcess>> running_;
  Ending ending_;
};

}  // namespace harness
