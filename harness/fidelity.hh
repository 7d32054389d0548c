#pragma once

// Whether a block measured what was configured. A block that did not is invalid: shown, never
// averaged in.

#include "analysis/block_account.hh"
#include "analysis/cell_spec.hh"
#include "captures/query_record.hh"
#include "harness/plan.hh"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <vector>

namespace harness {

// The plan's cells as the analysis judges them.
std::vector<analysis::CellSpec> cell_specs(const Plan& plan);

struct BlockObservation {
  const nlohmann::json& facts;  // facts.json of the block
  const analysis::BlockAccount& account;
  std::span<const captures::QueryRecord> records;
  bool virtual_time = true;
};

// What speaks against the block, in words; empty for a valid one.
std::vector<std::string> reasons_to_distrust(const Plan& plan, const BlockObservation& seen);

}  // namespace harness
