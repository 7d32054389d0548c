#pragma once

// Time as records use it. Durations and instants are nanoseconds of CLOCK_MONOTONIC; wall-clock
// time appears only in captures and names. A Clock is a constructor argument, so that tests bring
// their own.

#include <chrono>
#include <cstdint>

namespace base {

using Nanoseconds = std::chrono::nanoseconds;

// An instant: nanoseconds since an arbitrary origin (boot), comparable within one kernel.
using Instant = std::chrono::time_point<std::chrono::steady_clock, Nanoseconds>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Instant now() const override;
};

// Moves only when told to.
class FakeClock final : public Clock {
 public:
  Instant now() const override { return now_; }
  void advance(Nanoseconds by) { now_ += by; }
  void set(Instant to) { now_ = to; }

 private:
  // Not at zero: zero is easily taken for "never".
  Instant now_{std::chrono::seconds(1000)};
};

// Wall-clock nanoseconds since 1970, for captures and file names only.
std::int64_t wall_clock_ns();

}  // namespace base
