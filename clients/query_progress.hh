#pragma once

// The one stopwatch: when a query's phases happened, and how it ended. Every transport reports
// through it, so that their times compare.

#include "base/clock.hh"
#include "captures/query_record.hh"

#include <optional>
#include <string>

namespace clients {

class QueryProgress {
 public:
  // What the connection does once its query has ended.
  enum class Afterwards { kClose, kServe };

  // `clock` outlives this.
  explicit QueryProgress(const base::Clock& clock) : clock_(clock) {}
  QueryProgress(const QueryProgress&) = delete;
  QueryProgress& operator=(const QueryProgress&) = delete;

  // Starts the clock. Messages may be ready by now, but nothing of the query may have happened, not
  // even socket(2).
  void begin(Afterwards afterwards = Afterwards::kClose) {
    afterwards_ = afterwards;
    record_.start = clock_.now();
  }
  // For another query on the same connection, with a new record.
  void reset();
  // Reads the clock: the phase is over at this moment. Only its first end counts:
  // progress.mark(&Phases::connect).
  void mark(std::optional<base::Nanoseconds> captures::Phases::* phase);
  // The query begins anew over another protocol, `fallback`; its clock runs on. Phases seen so far
  // belonged to the attempt that brought no answer and are taken back.
  void fall_back(std::string fallback);

  // How a query ends; only the first of these counts, and what comes after it changes nothing. The
  // checked answer is here:
  void answer();
  // Something made an answer impossible. `error` may quote the peer: bytes that do not print are
  // replaced.
  void fail(std::string error);
  // The timeout passed: a censored sample.
  void expire();
  bool ended() const { return ended_; }
  // Ended, and the connection is of no further use.
  bool closing() const { return ended_ && afterwards_ == Afterwards::kClose; }

  base::Instant start() const { return record_.start; }
  // Facts are written into the record as they become known.
  captures::QueryRecord& record() { return record_; }
  captures::QueryRecord take_record();

 private:
  const base::Clock& clock_;
  captures::QueryRecord record_;
  Afterwards afterwards_ = Afterwards::kClose;
  bool ended_ = false;
};

}  // namespace clients
