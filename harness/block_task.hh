#pragma once

// What the process of a block does: measure its queries, or run trials where its results folder
// holds such a job. The same code runs as PID 1 of a lab kernel and on the host's kernel.

#include "harness/block_lab.hh"
#include "harness/block_messages.hh"

#include <cstdint>
#include <string>

namespace harness {

// The folder below the run directory in which a block's results are until the run takes them over:
// "blocks/3".
std::string block_folder(std::uint32_t index);

// Throws LabError where the lab broke.
void run_block_task(BlockContext context, const BlockMessages& messages);

}  // namespace harness
