#pragma once

// Lookups of toy protocols over a path with a gate, in virtual time: small enough that all loss
// patterns can be tried, yet with what makes real ones hard: timers, flights of which each part is
// needed, acknowledgements that do not matter, packets that cross.

#include "analysis/past.hh"
#include "base/rng.hh"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace analysis::toy {

inline constexpr base::Nanoseconds operator""_ms(unsigned long long count) {
  return std::chrono::milliseconds(count);
}
inline constexpr base::Nanoseconds operator""_us(unsigned long long count) {
  return std::chrono::microseconds(count);
}

// Whether the gate drops a packet.
using Gate = std::function<bool(PacketName)>;
Gate gate_of(const LossPattern& pattern);

// The world of one lookup: ends exchange packets, the client's timers run, and time is that of the
// next thing to happen.
class World {
 public:
  using Action = std::function<void()>;
  // With a jitter everything that is sent takes up to that much work before.
  World(PathTimes times, Gate gate, base::Nanoseconds jitter, base::Seed seed);

  void after(base::Nanoseconds delay, Action action);
  // `arrived` happens at the other end, if the gate lets the packet pass.
  void send(End from, std::string content, Action arrived, bool completes_answer = false);
  void answered();  // the client has its answer
  bool is_over() const { return trial_.time.has_value(); }
  // Until the timeout; real ends go on after an answer, too.
  Trial run();

 private:
  base::Nanoseconds one_way(End from) const;
  void judge(End from, const std::string& content, const Action& arrived, bool completes_answer);

  PathTimes times_;
  Gate gate_;
  base::Nanoseconds jitter_;
  base::Rng rng_;
  base::Nanoseconds now_{0};
  std::multimap<base::Nanoseconds, Action> agenda_;
  std::map<End, std::uint64_t> sent_;
  std::map<End, base::Nanoseconds> ready_;  // from when an end can send again
  Trial trial_;
};

using Protocol = std::function<void(World&)>;

// The client asks at 0 and again after 100 ms, 200 ms, ... until it is answered. The server answers
// each time, after 40 us of work.
Protocol repeating();
// As above; each question is followed by a packet of the client that means nothing. The answer is
// on its way 40 us after the question has arrived.
Protocol with_noise(base::Nanoseconds behind_question);
// A handshake, then a question. Each flight of the server has two packets that the client needs and
// that it acknowledges; the server repeats what is not acknowledged, the client what is not
// answered.
Protocol in_flights();

// A lab that runs such lookups.
struct Lab {
  Protocol protocol;
  PathTimes times;
  base::Nanoseconds jitter{0};
  base::Seed seed = 0;     // of the jitter
  std::uint64_t runs = 0;  // so far; each has other microseconds

  // The pattern of such a trial is what the gate dropped.
  Trial run_through(const Gate& gate);
  Trial run(const LossPattern& pattern);
};

}  // namespace analysis::toy
