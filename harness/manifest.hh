#pragma once

// manifest.json: what a run was made of, whether it came to its end, and whether its figures can be
// trusted.

#include "analysis/block_account.hh"
#include "analysis/summary.hh"
#include "base/clock.hh"
#include "harness/command_line.hh"
#include "harness/image.hh"
#include "harness/plan.hh"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace harness {

// A block that is done, with what its own process and the analysis found out.
struct BlockResult {
  std::string facts;  // facts.json of the block
  analysis::BlockAccount account;
  std::vector<std::string> distrust;  // empty: valid
};

struct Manifest {
  const CommandLine& command;
  const Image& image;
  const Plan& plan;
  std::string scenario_text;
  std::map<std::uint32_t, BlockResult> blocks{};  // by index; those that are done
  std::string network{};  // facts of the network, JSON; the same in every block
  std::string gate{};     // harness/gate_report.hh, JSON; empty without a gate
  std::optional<analysis::Summary> summary{};  // of a run that came to its end
  std::string stopped_by{};                    // why it did not: "SIGINT", an error
  base::Nanoseconds real_time{};

  bool valid() const;
  // Sum of what the blocks' own clocks passed.
  base::Nanoseconds virtual_time() const;
};

// "lab, Linux 7.3.4, 1000 Hz, virtual time" or "host, Linux 6.12, real time".
std::string describe_kernel(KernelKind kind, const Image& image);
// Names and versions of what was measured with.
std::map<std::string, std::string> versions(const Manifest& manifest);

// Its servers' ends that nobody had asked for, as server_ends_text() has them.
std::string server_ends_text(const Manifest& manifest);

std::string to_json_text(const Manifest& manifest);

}  // namespace harness
