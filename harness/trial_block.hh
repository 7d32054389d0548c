#pragma once

// A block that runs trials: the guest's side of `labrun exact`, `map`, `replay` and `minimize`.

#include "harness/block_lab.hh"
#include "harness/block_messages.hh"

namespace harness {

// Whether the block's results have a kTrialJobFile.
bool has_trial_job(const BlockContext& context);

// Does what the job says, and writes what docs/exact-tails.md names into the block's results. What
// an earlier, interrupted block left there is not run again. Throws LabError where the lab broke.
void run_trial_block(const BlockContext& context, const BlockMessages& messages);

}  // namespace harness
