#include "base/event_loop.hh"

#include "base/errors.hh"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <time.h>

namespace base {

struct EventLoop::Watch {
  int descriptor;
  ReadyAction action;
  bool forgotten = false;
};

EventLoop::EventLoop(const Clock& clock)
    : clock_(clock),
      epoll_(check_syscall(::epoll_create1(EPOLL_CLOEXEC), "create an epoll descriptor")),
      woken_at_(clock.now()) {}

EventLoop::~EventLoop() = default;

void EventLoop::watch(int descriptor, std::uint32_t events, ReadyAction action) {
  auto watch = std::make_shared<Watch>(descriptor, std::move(action));
  epoll_event event{.events = events, .data = {.fd = descriptor}};
  check_syscall(::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, descriptor, &event),
                "watch descriptor {}", descriptor);
  watches_[descriptor] = std::move(watch);
}

void EventLoop::change(int descriptor, std::uint32_t events) {
  epoll_event event{.events = events, .data = {.fd = descriptor}};
  check_syscall(::epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, descriptor, &event),
                "watch descriptor {} otherwise", descriptor);
}

void EventLoop::forget(int descriptor) {
  const auto found = watches_.find(descriptor);
  if (found == watches_.end()) return;
  found->second->forgotten = true;
  watches_.erase(found);
  check_syscall(::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, descriptor, nullptr),
                "stop watching descriptor {}", descriptor);
}

void EventLoop::close(FileDescriptor& descriptor) {
  const auto found = watches_.find(descriptor.number());
  if (found != watches_.end()) {
    found->second->forgotten = true;
    watches_.erase(found);
  }
  descriptor.close();
}

EventLoop::TimerId EventLoop::at(Instant deadline, TimerAction action) {
  const TimerId id{deadline, next_timer_++};
  timers_.emplace(id, std::move(action));
  return id;
}

void EventLoop::cancel(const TimerId& timer) {
  timers_.erase(timer);
}

void EventLoop::run_due_timers() {
  // A timer that is armed for the past while these run waits for the next round, so a round ends.
  const std::uint64_t first_of_next_round = next_timer_;
  for (auto due = timers_.begin(); due != timers_.end() && due->first.first <= woken_at_;
       due = timers_.begin()) {
    if (due->first.second >= first_of_next_round) break;
    const TimerAction action = std::move(due->second);
    timers_.erase(due);
    action();
  }
}

void EventLoop::run_once(std::optional<Instant> deadline) {
  if (!timers_.empty())
    deadline = std::min(deadline.value_or(Instant::max()), timers_.begin()->first.first);
  timespec timeout{};
  if (deadline) {
    const Nanoseconds left = std::max(Nanoseconds(0), Nanoseconds(*deadline - clock_.now()));
    timeout.tv_sec = left.count() / 1'000'000'000;
    timeout.tv_nsec = left.count() % 1'000'000'000;
  }
  std::array<epoll_event, 64> events;
  const int count = ::epoll_pwait2(epoll_.number(), events.data(), events.size(),
                                   deadline ? &timeout : nullptr, nullptr);
  if (count < 0 && errno != EINTR) check_syscall(count, "wait for events");
  woken_at_ = clock_.now();
  run_due_timers();
  for (int index = 0; index < count; ++index) {
    // An action may forget a descriptor whose event is still in this batch, or close it and have
    // its number used again.
    const auto found = watches_.find(events[static_cast<std::size_t>(index)].data.fd);
    if (found == watches_.end()) continue;
    const std::shared_ptr<Watch> watch = found->second;
    if (!watch->forgotten) watch->action(events[static_cast<std::size_t>(index)].events);
  }
}

bool EventLoop::run_until(const std::function<bool()>& done, Instant deadline) {
  while (!done()) {
    if (clock_.now() >= deadline) return false;
    run_once(deadline);
  }
  return true;
}

}  // namespace base
