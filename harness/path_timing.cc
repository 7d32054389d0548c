#include "harness/path_timing.hh"

#include "base/errors.hh"

#include <algorithm>
#include <format>

namespace harness {

analysis::TimingOf timing_of(const Plan& plan) {
  return [&plan](const captures::QueryRecord& record) {
    const auto cell = std::ranges::find(plan.cells, record.cell, &PlannedCell::name);
    if (cell == plan.cells.end())
      throw base::LabError(
          std::format("explain query {}: the plan has no cell {}", record.id, record.cell));
    const netns::PathSpec& path = plan.arms.at(cell->arm).path;
    return analysis::PathTiming{.delay_to_server = path.to_server.delay - path.to_server.jitter,
                                .delay_to_client = path.to_client.delay - path.to_client.jitter};
  };
}

}  // namespace harness
