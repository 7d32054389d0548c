#include "harness/block_schedule.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "harness/server_releases.hh"

#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <cstddef>
#include <format>
#include <sched.h>
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

// Pages that nobody touches cost nothing.
std::uint32_t memory_for(const Plan& plan) {
  constexpr std::uint32_t kMegabytes = 512;
  constexpr std::uint32_t kMegabytesPerServer = 32;
  std::uint32_t megabytes = kMegabytes;
  for (const PlannedArm& arm : plan.arms)
    if (arm.server != kLabServer) megabytes += kMegabytesPerServer;
  return megabytes;
}

// Those that we may use, beginning where another labrun on this machine probably does not.
std::deque<int> usable_processors() {
  cpu_set_t set;
  base::check_syscall(::sched_getaffinity(0, sizeof set, &set), "ask for our processors");
  std::deque<int> processors;
  for (int number = 0; number < CPU_SETSIZE; ++number)
    if (CPU_ISSET(static_cast<std::size_t>(number), &set)) processors.push_back(number);
  LABRUN_ASSERT(!processors.empty());
  const auto first = static_cast<std::size_t>(::getpid()) % processors.size();
  std::ranges::rotate(processors, processors.begin() + static_cast<std::ptrdiff_t>(first));
  return processors;
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
      kernel_(kernel),
      place_{.image = image,
             .release_roots = release_roots(plan, image),
             .directory = directory,
             .memory_megabytes = memory_for(plan)},
      processors_(usable_processors()),
      observer_(std::move(observer)),
      loop_(clock_) {}

// The one that has waited longest; with no more blocks than processors each block has its own.
int BlockSchedule::take_processor() {
  const int processor = processors_.front();
  processors_.pop_front();
  processors_.push_back(processor);
  return processor;
}

void BlockSchedule::start_next() {
  const PlannedBlock& block = plan_.blocks[next_++];
  const int processor = take_processor();
  processor_of_[block.index] = processor;
  running_[block.index] = std::make_unique<BlockProcess>(
      loop_, place_, block, kernel_, processor,
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
  const bool tolerated = !failure.empty() && observer_.on_failure;
  if (tolerated) observer_.on_failure(block, failure);
  if (!failure.empty() && !tolerated && ending_.reason.empty()) ending_.reason = failure;
  loop_.at(clock_.now(), [this, &block, failed = !failure.empty()] {
    running_.erase(block.index);
    // Its processor is free, and the next one to be taken.
    const int processor = processor_of_.extract(block.index).mapped();
    processors_.erase(std::ranges::find(processors_, processor));
    processors_.push_front(processor);
    if (!ending_.reason.empty()) return;
    if (!failed) observer_.on_results(block);
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
