#pragma once

// What a capture of somebody else's shows, for people.

#include "harness/table_text.hh"

#include <filesystem>
#include <string>

namespace analysis {
struct CaptureFile;
}

namespace harness {

std::string render_capture(const std::filesystem::path& file, const analysis::CaptureFile& capture,
                           Colors colors);

}  // namespace harness
