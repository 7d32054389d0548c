#pragma once

// A folder for files that nobody needs later.

#include <filesystem>

namespace base {

// Created below the system's folder for temporary files, and gone with its owner and everything in
// it, unless it is to be kept.
class TemporaryFolder {
 public:
  // Throws SystemError where it cannot be created.
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

}  // namespace base
