#pragma once

// Files packed into one: tar, compressed with zstd, as a maintainer's own tar opens it.

#include <filesystem>
#include <map>
#include <string>

namespace harness {

// Paths within the archive, with '/', and what the files hold.
using ArchiveFiles = std::map<std::string, std::string>;

// No bundle is larger, and no hostile one makes us read more.
inline constexpr std::size_t kMaxArchiveBytes = std::size_t{512} << 20U;
inline constexpr std::size_t kMaxArchiveFiles = 10'000;

// Equal files give equal bytes: no times, no owners; scripts (.sh) are executable. All lie below
// `folder`. Throws LabError where `file` cannot be written; it appears whole or not at all.
void write_archive(const std::filesystem::path& file, const std::string& folder,
                   const ArchiveFiles& files);

// The files below the archive's one folder, by their paths in it. Throws BadInput for what is no
// such archive: broken, too large, with links, or with paths that lead elsewhere.
ArchiveFiles read_archive(const std::filesystem::path& file);

}  // namespace harness
