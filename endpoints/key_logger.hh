#pragma once

// The library of endpoints/keylog_preload.cc, which our own program carries: a server of somebody
// else's needs it as a file wherever its root directory is.

#include <string_view>

namespace endpoints {

// The file's bytes.
std::string_view key_logger_library();

}  // namespace endpoints
