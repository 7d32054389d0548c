#pragma once

// What was planned for a cell (one arm x one transport), as far as its figures are judged by it.

#include "base/clock.hh"
#include "base/units.hh"

#include <optional>
#include <string>

namespace analysis {

struct CellSpec {
  std::string name;         // "doq", "retry=always/doq"
  base::Nanoseconds rtt;    // of the path as configured, both ways
  base::Nanoseconds floor;  // shortest answer that the transport can give on this path
  base::Nanoseconds timeout;
  // Loss configured for a direction, where losses are independent: a burst model's counts are no
  // binomial and are not judged.
  std::optional<base::Probability> loss_to_server;
  std::optional<base::Probability> loss_to_client;
};

}  // namespace analysis
