#pragma once

// One thread waiting for descriptors and timers: epoll, with the timers in user space. Labs pay for
// system calls, so the loop makes one epoll_wait per wake-up and no call to arm or cancel a timer.

#include "base/clock.hh"
#include "base/file_descriptor.hh"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace base {

class EventLoop {
 public:
  using ReadyAction = std::function<void(std::uint32_t events)>;  // EPOLLIN, EPOLLOUT, ...
  using TimerAction = std::function<void()>;
  // Identifies an armed timer; the default value is none.
  using TimerId = std::pair<Instant, std::uint64_t>;

  explicit EventLoop(const Clock& clock);
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop();

  // The loop does not own `descriptor`: forget() it before closing it. Level-triggered.
  void watch(int descriptor, std::uint32_t events, ReadyAction action);
  void change(int descriptor, std::uint32_t events);
  void forget(int descriptor);
  // Forgets and closes for the price of one system call: the kernel stops watching what is closed.
  // Nobody may hold a duplicate.
  void close(FileDescriptor& descriptor);

  TimerId at(Instant deadline, TimerAction action);
  void cancel(const TimerId& timer);

  // Waits once and runs what became due, then the actions of descriptors in the order in which they
  // were ready. Waits no longer than until `deadline`.
  void run_once(std::optional<Instant> deadline);
  // True when `done()` holds; false when the deadline passed first. `done` is asked after each
  // wake-up.
  bool run_until(const std::function<bool()>& done, Instant deadline);

  // Instant of the last wake-up: one clock reading serves everything that this wake-up causes.
  // Measurements read the clock.
  Instant woken_at() const { return woken_at_; }
  const Clock& clock() const { return clock_; }

 private:
  struct Watch;
  void run_due_timers();

  const Clock& clock_;
  FileDescriptor epoll_;
  std::unordered_map<int, std::shared_ptr<Watch>> watches_;
  std::map<TimerId, TimerAction> timers_;
  std::uint64_t next_timer_ = 1;
  Instant woken_at_;
};

}  // namespace base
