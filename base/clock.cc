#include "base/clock.hh"

#include <time.h>

namespace base {
namespace {

std::int64_t read_clock(clockid_t id) {
  timespec time{};
  ::clock_gettime(id, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Instant SystemClock::now() const {
  return Instant(Nanoseconds(read_clock(CLOCK_MONOTONIC)));
}

std::int64_t wall_clock_ns() {
  return read_clock(CLOCK_REALTIME);
}

}  // namespace base
