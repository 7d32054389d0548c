#pragma once

// Scenarios for tests: short, and with the mistakes listed line by line.

#include "harness/scenario.hh"
#include "harness/scenario_error.hh"

#include <string>
#include <string_view>
#include <vector>

namespace harness {

// The least that is valid.
inline constexpr std::string_view kSmall =
    "name: small\n"
    "client: { transports: [do53, doq], queries: 4 }\n";

// The messages of an invalid scenario, one each; empty for a valid one.
inline std::vector<std::string> mistakes_of(std::string_view text,
                                            const Overrides& overrides = {}) {
  std::vector<std::string> messages;
  try {
    static_cast<void>(parse_scenario(text, "x.yaml", overrides));
  } catch (const ScenarioError& error) {
    for (const Mistake& mistake : error.mistakes())
      messages.push_back(to_string(mistake.where) + ": " + mistake.text);
  }
  return messages;
}

}  // namespace harness
