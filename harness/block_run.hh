#pragma once

// Measures one block: builds the network, calibrates it, starts endpoints and client, asks every
// query, and writes what was seen. The same code runs as PID 1 of a lab kernel and on the host's
// kernel.

#include "harness/block_lab.hh"
#include "harness/block_messages.hh"

#include <cstdint>
#include <string>

namespace harness {

// The folder below the run directory in which a block's results are until the run takes them over:
// "blocks/3".
std::string block_folder(std::uint32_t index);

// Files of a block's results, beside the two captures (captures/block_capture.hh). `kFactsFile` is
// written last: a block that has it is whole.
inline constexpr const char* kRecordsFile = "records.jsonl";
inline constexpr const char* kFactsFile = "facts.json";

// Throws LabError where the lab broke. What queries came to is data, in the records.
void run_block(const BlockContext& context, const BlockMessages& messages);

}  // namespace harness
