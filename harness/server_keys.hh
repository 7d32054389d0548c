#pragma once

// The TLS keys of a server of somebody else's: the library that makes it write them, and the file
// that they come to.

#include <cstddef>
#include <filesystem>
#include <string>

namespace harness {

class ServerKeys {
 public:
  // Puts the library into `folder`, which the server can read and write to.
  explicit ServerKeys(const std::filesystem::path& folder);

  const std::filesystem::path& library() const { return library_; }
  const std::filesystem::path& log() const { return log_; }
  // Whole lines since the last call.
  std::string take();

 private:
  std::filesystem::path library_;
  std::filesystem::path log_;
  std::size_t taken_ = 0;  // bytes of the log
};

}  // namespace harness
