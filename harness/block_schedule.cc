#include "harness/block_schedule.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"

#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <format>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <utility>

namespace harness {
namespace {

base::FileDescriptor catch_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGHUP);
  base::check_syscall(::sigprocmask(SIG_BLOCK, &signals, nullptr), "block SIGINT and SIGTERM");
  return base::FileDescriptor(
      base::check_syscall(::signalfd(-1, &signals, SFD_CLOEXEC), "wait for signals"));
}

std::string read_signal(const base::FileDescriptor& signals) {
  signalfd_siginfo information{};
  base::check_syscall(::read(signals.number(), &information, sizeof information), "read a signal");
  return std::format("SIG{}", ::sigabbrev_np(static_cast<int>(information.ssi_signo)));
}

}  // namespace

BlockSchedule::BlockSchedule(const Plan& plan, const Image& image, const RunDirectory& directory,
                             KernelKind kernel, Observer observer)
    : plan_(plan),
      image_(image),
      directory_(directory),
      kernel_(kernel),
      observer_(std::move(observer)),
      loop_(clock_) {}

void BlockSchedule::start_next() {
  const PlannedBlock& block = plan_.blocks[next_++];
  running_[block.index] = std::make_unique<BlockProcess>(
      loop_, image_, directory_, block, kernel_,
      BlockProcess::Observer{
          .on_message =
              [this, &block](const BlockMessage& message) {
                observer_.on_message(block.index, message);
              },
          .on_end = [this, &block](const std::string& failure) { end_of(block, failure); }});
}

// Called from inside the block's own process object, which therefore goes only with the next turn
// of the loop.
void BlockSchedule::end_of(const PlannedBlock& block, const std::string& failure) {
  if (!failure.empty() && ending_.reason.empty()) ending_.reason = failure;
  loop_.at(clock_.now(), [this, &block, failed = !failure.empty()] {
    running_.erase(block.index);
    if (failed || !ending_.reason.empty()) return;
    observer_.on_results(block);
    if (next_ < plan_.blocks.size()) start_next();
  });
}

BlockSchedule::Ending BlockSchedule::run(std::size_t jobs) {
  LABRUN_ASSERT(jobs > 0);
  const base::FileDescriptor signals = catch_signals();
  loop_.watch(signals.number(), EPOLLIN, [&](std::uint32_t) {
    ending_ = {.interrupted = true, .reason = read_signal(signals)};
  });
  while (next_ < plan_.blocks.size() && running_.size() < jobs) start_next();
  while (!running_.empty() && ending_.reason.empty()) loop_.run_once(std::nullopt);
  running_.clear();
  loop_.forget(signals.number());
  return ending_;
}

}  // namespace harness
