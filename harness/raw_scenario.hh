#pragma once

// The shape of a scenario file: mappings, lists and texts with their places, nothing understood
// yet.

#include "harness/scenario_error.hh"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

struct RawEntry;

struct RawNode {
  enum class Kind { kNull, kText, kList, kMapping };
  Kind kind = Kind::kNull;
  std::string text;
  std::vector<RawNode> items;
  std::vector<RawEntry> entries;  // in the order of the file, keys differ
  Location where;
};

struct RawEntry {
  std::string key;
  Location where;
  RawNode value;
};

// No scenario nests deeper or holds more; bounds what a hostile file may cost.
inline constexpr std::size_t kMaxRawDepth = 16;
inline constexpr std::size_t kMaxRawNodes = 20000;

// Reads one YAML 1.2 document. A text that is no document (syntax, binary, empty, too large) throws
// ScenarioError; a repeated key is added to `mistakes` and its first value kept. Anchors, aliases
// and tags are refused: a scenario says what it means where it means it.
RawNode parse_yaml(std::string_view text, std::string_view file, std::vector<Mistake>& mistakes);

// "2%", "[a, b]", "{model: x}", "nothing": how messages quote what was found, shortened when long.
std::string quote(const RawNode& node);

}  // namespace harness
