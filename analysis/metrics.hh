#pragma once

// What each metric of an expectation reads from a cell's summary.

#include "analysis/summary.hh"

#include <optional>
#include <string>
#include <string_view>

namespace analysis {

struct Reading {
  std::optional<double> value;  // in the metric's unit
  bool censored = false;        // longer than the timeout, which is beyond every bound
  std::string reason;           // why there is no value, where it is not censored
};

// `metric` is one of metrics(); anything else throws LabError.
Reading read_metric(std::string_view metric, const CellSummary& cell);

}  // namespace analysis
