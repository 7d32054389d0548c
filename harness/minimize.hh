#pragma once

// `labrun minimize`.

#include "base/clock.hh"
#include "harness/command_line.hh"
#include "harness/image.hh"
#include "harness/minimal_set.hh"
#include "harness/recorded_query.hh"
#include "harness/recorded_scenario.hh"
#include "harness/stored_run.hh"
#include "harness/trial_campaign.hh"

#include <optional>

namespace harness {

// From when on the query counts as slow; empty: it is slow where it is not answered. Throws
// BadInput for a query that was as fast as without losses.
std::optional<base::Nanoseconds> slow_from(const CommandLine& command, const StoredRun& run,
                                           const RecordedQuery& query);

struct LossSearch {
  CampaignEnd end;
  Minimising found;  // after a good end
};
LossSearch search_losses(const CommandLine& command, const Image& image, const StoredRun& run,
                         const RecordedQuery& query, const std::optional<base::Nanoseconds>& slow);

// The query with only these losses. Views `query`.
Recording minimal_recording(const StoredRun& run, const RecordedQuery& query,
                            const analysis::Trial& minimal);

// Looks for the smallest part of a query's losses that makes it as slow, and prints it. Returns
// kExitExpectationFailed where even all of them do not. Throws BadInput for a query that no loss
// made slow.
int minimize(const CommandLine& command, const Image& image);

}  // namespace harness
