#pragma once

// Runs both decoders over a capture.

#include "tests/decoder/comparison.hh"

#include <filesystem>
#include <string>
#include <vector>

namespace decoder {

// Runs a program to its end and returns its standard output. Throws LabError, with what it said on
// its standard error, where it fails.
std::string output_of(const std::vector<std::string>& argv);

// `keylog` is a file of TLS secrets for captures that have none embedded; empty for none.
Comparison compare_decoders(const std::filesystem::path& capture,
                            const std::filesystem::path& keylog = {});

}  // namespace decoder
