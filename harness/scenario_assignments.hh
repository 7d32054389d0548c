#pragma once

// What a scenario sets: dotted keys with their values, from the file and from --set, every key
// known.

#include "harness/raw_scenario.hh"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

struct Assignment {
  std::string key;  // "endpoint.retry"
  Location where;
  RawNode value;
};

struct Assignments {
  std::vector<Assignment> values;  // keys differ
  std::vector<Assignment> varied;  // keys differ; each value is a list
  std::optional<RawNode> expect;
};

// Location::file of what the command line sets.
inline constexpr std::string_view kCommandLinePlace = "--set";

const Assignment* find_assignment(const std::vector<Assignment>& among, std::string_view key);

// Walks the file's mappings. Unknown keys become mistakes that name the nearest known one.
Assignments collect_assignments(const RawNode& root, std::vector<Mistake>& mistakes);

// Adds "client.queries=20" from the command line: it replaces what the file sets. The value is
// YAML, so that lists and mappings can be given: "vary.endpoint.retry=[never, always]", "vary={}".
void apply_option(std::string_view option, Assignments& assignments,
                  std::vector<Mistake>& mistakes);

}  // namespace harness
