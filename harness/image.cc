#include "harness/image.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"

#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <cstdlib>
#include <unistd.h>

namespace harness {
namespace {

namespace fs = std::filesystem;

std::string first_line_of(const fs::path& file) {
  if (!fs::exists(file)) return "unknown";
  const std::string text = base::read_file(file, 4096);
  return text.substr(0, text.find('\n'));
}

}  // namespace

Image find_image() {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const fs::path folder = program.parent_path();
  for (const fs::path& candidate :
       {folder / "image", folder.parent_path() / "lib" / "labrun" / "image"}) {
    if (!fs::exists(candidate / "root")) continue;
    Image image{.folder = candidate,
                .programs = folder,
                .root = fs::canonical(candidate / "root"),
                .kernel = {},
                .kernel_release = {},
                .commit = first_line_of(candidate / "commit")};
    if (fs::exists(candidate / "kernel" / "linux")) {
      const fs::path kernel = fs::canonical(candidate / "kernel");
      image.kernel = kernel / "linux";
      image.kernel_release = first_line_of(kernel / "release");
    }
    return image;
  }
  throw base::LabError(
      "find the lab image of " + program.string() +
      ": neither image/ beside it nor ../lib/labrun/image/ is there; build it with "
      "`make build` in labrun's source folder");
}

std::optional<std::string> memory_folder_problem(const fs::path& folder) {
  struct statvfs status{};
  struct statfs kind{};
  if (::statvfs(folder.c_str(), &status) != 0 || ::statfs(folder.c_str(), &kind) != 0)
    return folder.string() + " is not there";
  if (kind.f_type != TMPFS_MAGIC)
    return folder.string() + " is not on tmpfs, a file system in memory";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return folder.string() + " cannot be written to";
  if ((status.f_flag & ST_NOEXEC) != 0)
    return folder.string() + " is mounted noexec, and a kernel's memory must be executable";
  constexpr std::uint64_t kNeeded = 256U << 20U;
  const std::uint64_t available = std::uint64_t{status.f_bavail} * status.f_frsize;
  if (available < kNeeded)
    return std::format("{} has {} MiB free, and each lab kernel uses up to {} MiB", folder.string(),
                       available >> 20U, kNeeded >> 20U);
  return std::nullopt;
}

fs::path memory_folder() {
  if (const char* chosen = std::getenv("TMPDIR");
      chosen != nullptr && !memory_folder_problem(chosen))
    return chosen;
  return "/dev/shm";
}

}  // namespace harness
