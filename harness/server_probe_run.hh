#pragma once

// Probes of one server, asked in lab kernels.

#include "harness/image.hh"
#include "harness/server_matrix.hh"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace harness {

struct ProbedServer {
  std::string version = "unknown";
  std::vector<ProbedCell> cells{};
  std::string stopped_by{};  // "SIGINT"; then the rest means nothing
};

// `jobs` kernels at once; none: one per core. A probe that breaks says so in its cells, and the
// others go on. Throws LabError where nothing could be started.
ProbedServer probe_server(const std::string& name, const Image& image,
                          std::optional<std::uint32_t> jobs);

}  // namespace harness
