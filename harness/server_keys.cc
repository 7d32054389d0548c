#include "harness/server_keys.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "endpoints/key_logger.hh"

#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

namespace harness {
namespace {

namespace fs = std::filesystem;

// One query has a few; the rest comes with the next call.
constexpr std::size_t kMostBytesAtOnce = std::size_t{1} << 20U;

}  // namespace

ServerKeys::ServerKeys(const fs::path& folder)
    : library_(folder / "liblabkeys.so"), log_(folder / "keys.log") {
  base::write_file_atomically(library_, endpoints::key_logger_library());
}

std::string ServerKeys::take() {
  // The server makes the file with its first connection.
  const base::FileDescriptor file(
      ::open(log_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat found{};
  // The folder is the server's own, which may put there what it likes.
  if (!file.is_open() || ::fstat(file.number(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  std::string text(kMostBytesAtOnce, '\0');
  const ssize_t count = base::check_syscall(
      ::pread(file.number(), text.data(), text.size(), static_cast<off_t>(taken_)), "read {}",
      log_.string());
  text.resize(static_cast<std::size_t>(count));
  // A line that is being written has no end yet.
  text.resize(text.rfind('\n') + 1);
  taken_ += text.size();
  return text;
}

}  // namespace harness
