#pragma once

// The lab image: the Debian root that endpoints and our own programs live on, and the lab kernel.

#include <filesystem>
#include <optional>
#include <string>

namespace harness {

struct Image {
  std::filesystem::path folder;    // with what follows, and what is made when it is first needed
  std::filesystem::path programs;  // folder of labrun, labquery and labdns
  std::filesystem::path root;      // the lab root, without symbolic links
  std::filesystem::path kernel;    // the lab kernel; empty where there is none (not x86-64)
  std::string kernel_release;      // "7.3.4"
  std::string commit;              // of the labrun that was built, "unknown" without one
};

// Finds the image that belongs to the running program: `image/` beside it in a build folder,
// `../lib/labrun/image/` where it was installed. Throws LabError that says what to do when there is
// none.
Image find_image();

// Whether `folder` is on a memory file system that may hold executable mappings, as the lab
// kernel's memory must. Returns what is wrong, nothing when all is well.
std::optional<std::string> memory_folder_problem(const std::filesystem::path& folder);

// Where the lab kernel keeps its memory file: TMPDIR if it is set and suits, else /dev/shm.
std::filesystem::path memory_folder();

}  // namespace harness
