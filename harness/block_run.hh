#pragma once

// Measures one block: asks every query of it in a lab that is calibrated, and writes what was seen.

#include "harness/block_lab.hh"
#include "harness/block_messages.hh"

#include <cstdint>
#include <string>

namespace harness {

// Files of a block's results, beside the two captures (captures/block_capture.hh). `kFactsFile` is
// written last: a block that has it is whole.
inline constexpr const char* kRecordsFile = "records.jsonl";
inline constexpr const char* kFactsFile = "facts.json";
inline constexpr const char* kPacketFatesFile = "packets.jsonl";  // where there is a gate

// Throws LabError where the lab broke. What queries came to is data, in the records.
void run_block(const BlockContext& context, const BlockMessages& messages);

}  // namespace harness
