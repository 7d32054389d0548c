#pragma once

// What a program says of its version.

#include "base/clock.hh"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace harness {

struct VersionCommand {
  std::vector<std::string> argv;
  std::string root{};           // that it is looked up in; ours where empty
  std::optional<uid_t> user{};  // who it runs as
};

// All that it writes until it ends; no more than 64 KiB and no longer than 10 s, after which it is
// ended and a last line says so. Throws SystemError where it cannot be started.
std::string version_text(const VersionCommand& command, const base::Clock& clock);
// "1.26.3" of "nginx version: nginx/1.26.3", "unknown" where there is none.
std::string version_number(const std::string& text);

}  // namespace harness
