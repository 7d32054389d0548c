#pragma once

// What a child process last said, for messages about its end, and how much it may say at all.

#include <cstdint>
#include <filesystem>
#include <string>

namespace harness {

// Of one program in one block. Far more than any server says of a block, and little enough for
// every block of a run.
inline constexpr std::uint64_t kMostLogBytes = std::uint64_t{16} << 20U;

// The end of the log as printable text, "nothing" where there is none.
std::string end_of_log(const std::filesystem::path& log);

// A line of ours in a log that is somebody else's.
void note_in_log(const std::filesystem::path& log, const std::string& note);

}  // namespace harness
