#include "captures/connection_kind.hh"

#include <cstddef>

namespace captures {
namespace {

// In the order of kConnectionKinds.
constexpr std::array<std::string_view, kConnectionKinds.size()> kNames{
    "cold", "warm", "resumed", "early-data", "migrated", "rebound"};

}  // namespace

std::string_view to_string(ConnectionKind kind) {
  return kNames.at(static_cast<std::size_t>(kind));
}

std::optional<ConnectionKind> parse_connection_kind(std::string_view name) {
  for (const ConnectionKind kind : kConnectionKinds)
    if (to_string(kind) == name) return kind;
  return std::nullopt;
}

}  // namespace captures
