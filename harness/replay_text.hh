#pragma once

// What replays of queries came to, and how that looks to people.

#include "analysis/past.hh"
#include "analysis/trial.hh"
#include "base/clock.hh"
#include "harness/recorded_query.hh"
#include "harness/table_text.hh"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace harness {

// Both happened in virtual time, in which work takes microseconds; the shortest wait of a protocol,
// an acknowledgement's delay, takes milliseconds.
inline constexpr base::Nanoseconds kSameTime = analysis::kTimeTolerance;

struct Replay {
  RecordedQuery query;
  std::vector<analysis::Trial> trials;  // at least one

  static bool is_same(const captures::QueryRecord& record, const analysis::Trial& trial);
  bool is_same() const;  // each time
  // The trial whose end lies farthest from the recorded one.
  const analysis::Trial& farthest() const;
};

// Where a trial first took another course than the recorded query: "client 3 at 40.0 ms was 1-RTT 2
// [ACK], is Handshake 1 [Finished]". Empty where their packets are alike.
std::string first_difference(const RecordedQuery& query, const analysis::Trial& trial);

// "120.0 ms", "no answer", "failed".
std::string end_text(captures::Outcome outcome, const std::optional<base::Nanoseconds>& time);

// One line per query; more for those that ended otherwise.
std::string render_replays(std::span<const Replay> replays, Colors colors);

}  // namespace harness
