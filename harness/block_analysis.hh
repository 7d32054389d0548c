#pragma once

// The analysis of one block of a run, the same for a block that was just measured and for one that
// is read again.

#include "analysis/block_evidence.hh"
#include "analysis/finding_collection.hh"
#include "base/clock.hh"
#include "captures/query_record.hh"
#include "harness/command_line.hh"
#include "harness/plan.hh"

#include <cstdint>
#include <filesystem>
#include <set>
#include <vector>

namespace harness {

// Lines of a file as to_lines() writes it. Throws LabError where one cannot be read.
std::vector<captures::QueryRecord> read_records(const std::filesystem::path& file);

// Reads the block's captures in folder `captures`; `records` are those of the block. Throws
// LabError that names what is wrong with which file.
analysis::BlockEvidence read_evidence(const Plan& plan, const std::filesystem::path& captures,
                                      std::uint32_t block,
                                      std::vector<captures::QueryRecord>& records);

struct BlockAnalysis {
  analysis::BlockAccount account;
  analysis::FindingCollection findings;
  std::vector<base::Nanoseconds> gate_delays;  // harness/gate_delay.hh
};

// Writes into the records what the captures show of them.
BlockAnalysis analyse_block(const Plan& plan, KernelKind kernel,
                            const std::filesystem::path& captures, std::uint32_t block,
                            std::vector<captures::QueryRecord>& records);

// Lines of queries.jsonl.
std::string to_lines(const std::vector<captures::QueryRecord>& records);

}  // namespace harness
