#pragma once

// A query as a packet ladder: when each packet left, what it was, when it arrived or that it was
// lost, and the timers between.

#include "analysis/accounting.hh"
#include "analysis/cause.hh"
#include "analysis/exchange.hh"
#include "analysis/finding.hh"
#include "analysis/wording.hh"
#include "captures/query_record.hh"
#include "harness/table_text.hh"

#include <span>
#include <string>

namespace harness {

struct LadderQuery {
  const captures::QueryRecord& record;
  const analysis::Exchange& exchange;
  std::span<const analysis::Cause> causes;
  const analysis::Explanation& explanation;
  std::span<const analysis::Finding> findings;
};

std::string render_ladder(const LadderQuery& query, analysis::Details details, Colors colors);

}  // namespace harness
