#include "analysis/timer_rules.hh"

#include <algorithm>
#include <chrono>
#include <ranges>

namespace analysis {
namespace {

using base::Nanoseconds;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr int kLargestBackoff = 10;
constexpr Nanoseconds kEarly = milliseconds(1);

bool on_timer_wheel(Nanoseconds wait, Nanoseconds timer) {
  return wait >= timer - kEarly && wait <= timer + timer / 8 + milliseconds(4);
}

bool through_poll(Nanoseconds wait, Nanoseconds timer) {
  constexpr Nanoseconds kTick = microseconds(1200);
  return wait >= timer - kEarly && wait <= timer + timer / 1000 + kTick;
}

}  // namespace

std::optional<TimerMatch> match_probe_timeout(Nanoseconds wait,
                                              std::span<const RttEstimate> history,
                                              int most_backoff) {
  constexpr Nanoseconds kMaxAckDelay = milliseconds(25);
  for (const RttEstimate& estimate : std::views::reverse(history))
    for (int backoff = 0; backoff <= std::min(most_backoff, kLargestBackoff); ++backoff)
      for (const Nanoseconds extra : {Nanoseconds(0), kMaxAckDelay})
        if (through_poll(wait, (quic_pto(estimate) + extra) * (1 << backoff)))
          return TimerMatch{
              .kind = CauseKind::kPto, .backoff = backoff, .estimate = estimate.smoothed};
  return std::nullopt;
}

bool is_loss_delay(Nanoseconds wait, std::span<const RttEstimate> history) {
  return std::ranges::any_of(history, [&](const RttEstimate& estimate) {
    return estimate.latest &&
           through_poll(wait, std::max(estimate.smoothed, *estimate.latest) * 9 / 8);
  });
}

std::optional<TimerMatch> match_retransmission(Nanoseconds wait,
                                               std::span<const RttEstimate> history,
                                               int most_backoff) {
  for (const RttEstimate& estimate : std::views::reverse(history)) {
    const Nanoseconds rto = tcp_rto(estimate);
    const auto smoothed = estimate.latest ? std::optional(estimate.smoothed) : std::nullopt;
    for (int backoff = 0; backoff <= std::min(most_backoff, kLargestBackoff); ++backoff)
      if (on_timer_wheel(wait, rto * (1 << backoff)))
        return TimerMatch{.kind = CauseKind::kRto, .backoff = backoff, .estimate = smoothed};
    // Two round trips; with one segment under way the time that its acknowledgement may be delayed
    // (Linux: 200 ms) on top.
    for (const Nanoseconds extra : {Nanoseconds(milliseconds(2)), Nanoseconds(milliseconds(200))})
      if (smoothed && on_timer_wheel(wait, 2 * *smoothed + extra))
        return TimerMatch{.kind = CauseKind::kTailLossProbe, .backoff = 0, .estimate = smoothed};
  }
  return std::nullopt;
}

std::optional<int> match_syn_timeout(Nanoseconds wait, int most_backoff) {
  for (int backoff = 0; backoff <= std::min(most_backoff, kLargestBackoff); ++backoff)
    if (on_timer_wheel(wait, milliseconds(1000) * (1 << backoff))) return backoff;
  return std::nullopt;
}

}  // namespace analysis
