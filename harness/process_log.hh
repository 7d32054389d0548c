#pragma once

// What a child process last said, for messages about its end.

#include <filesystem>
#include <string>

namespace harness {

// The end of the log, "nothing" where there is none.
std::string end_of_log(const std::filesystem::path& log);

}  // namespace harness
