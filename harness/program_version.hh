#pragma once

// Which version a program of the lab root is, from its own mouth.

#include <string>
#include <vector>

namespace harness {

// "1.26.3" of a command that says "nginx version: nginx/1.26.3"; "unknown" where it says none.
// Throws SystemError where the program cannot be started.
std::string version_of(const std::vector<std::string>& command);

}  // namespace harness
