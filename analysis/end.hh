#pragma once

// The two ends of a path, from whom packets come.

#include <cstdint>
#include <string_view>

namespace analysis {

enum class End : std::uint8_t { kClient, kServer };

constexpr End other(End end) {
  return end == End::kClient ? End::kServer : End::kClient;
}

constexpr std::string_view to_string(End end) {
  return end == End::kClient ? "client" : "server";
}

}  // namespace analysis
