#pragma once

// A client of a block while it runs, in the client namespace, asked query by query. Whoever asks
// runs the event loop, which tells the client when its query is over.

#include "base/clock.hh"
#include "captures/query_record.hh"
#include "harness/plan.hh"

#include <optional>
#include <string>

namespace harness {

class QueryClient {
 public:
  virtual ~QueryClient() = default;

  // Asks what one request line of plan.hh says, from that arm's address. Its record follows.
  virtual void ask(const std::string& request_line, const PlannedArm& arm) = 0;
  // Whether the record is there.
  virtual bool has_record() const = 0;
  virtual captures::QueryRecord take_record() = 0;
  // How long the record may take, for a query with this timeout.
  virtual base::Nanoseconds patience(base::Nanoseconds timeout) const = 0;
  // What to do when it takes longer: a record that says so, or LabError where the lab is broken.
  virtual captures::QueryRecord give_up() = 0;
  // Key log lines since the last call, before the record has them; for a gate.
  virtual std::string take_keylog() = 0;
  // Where there are no more queries. Throws LabError where it does not end well.
  virtual void finish() = 0;
};

}  // namespace harness
