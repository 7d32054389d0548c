#pragma once

// A scenario written as a file that parse_scenario() reads back.

#include "harness/scenario.hh"

#include <string>
#include <string_view>

namespace harness {

// Of a scenario with one arm, whose name is lost. Keys that have their defaults are left out.
// `block_queries` is too: the queries are split by its default. Each line of `comment` goes on top.
std::string to_yaml(const Scenario& scenario, std::string_view comment);

}  // namespace harness
