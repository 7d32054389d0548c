#pragma once

// Where tests find things. Only paths.cc knows the absolute names, so that all other test code
// compiles alike in every checkout.

#include <filesystem>

namespace tests {

std::filesystem::path source_folder();            // the tree's root
std::filesystem::path programs_folder();          // labrun, labquery and labdns as users have them
std::filesystem::path checked_programs_folder();  // the same programs built with sanitizers

}  // namespace tests
