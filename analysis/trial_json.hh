#pragma once

// Trials as lines of JSON, so that a walk that was interrupted need not run them again.

#include "analysis/trial.hh"

#include <expected>
#include <string>
#include <string_view>

namespace analysis {

// One line without the line feed, its keys always in the same order. "time_ns" is null where there
// was no answer.
std::string to_json_line(const Trial& trial);
// Reads such a line; an error names the key. Unknown keys are ignored.
std::expected<Trial, std::string> parse_trial(std::string_view line);

}  // namespace analysis
