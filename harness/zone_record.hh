#pragma once

// DNS as scenarios write it: questions and the records of the lab's zone, checked before a server
// is started that would refuse them.

#include "harness/scenario.hh"

#include <optional>
#include <string>
#include <string_view>

namespace harness {

// RFC 1035 section 2.3.4 with the letters of host names and '_'; the root's dot may be left out.
bool is_domain_name(std::string_view name);

// "a.lab.test A"; the type may be left out and is A then.
std::optional<Question> parse_question(std::string_view text);

// What is wrong with "a.lab.test 60 A 192.0.2.1", in words; empty when nothing is.
std::optional<std::string> problem_of_zone_record(std::string_view text);

}  // namespace harness
