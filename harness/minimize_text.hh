#pragma once

// How the outcome of `labrun minimize` looks to people.

#include "base/clock.hh"
#include "captures/query_record.hh"
#include "harness/minimal_set.hh"

#include <optional>
#include <string>

namespace harness {

// Of a query that was slow with all of its losses.
std::string render_minimal(const captures::QueryRecord& record, const Minimising& found,
                           base::Nanoseconds real_time);
// Of one that was not when it was asked again: `slow` is what counts as slow; empty for no answer.
std::string render_not_slow(const captures::QueryRecord& record, const Minimising& found,
                            const std::optional<base::Nanoseconds>& slow);

}  // namespace harness
