#include "base/file_descriptor.hh"

#include "base/errors.hh"

#include <sys/stat.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace base {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

FileDescriptor::~FileDescriptor() {
  close();
}

void FileDescriptor::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

Pipe make_pipe() {
  int ends[2];
  check_syscall(::pipe2(ends, O_CLOEXEC), "create a pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::optional<std::string> read_some(const FileDescriptor& from, std::size_t limit) {
  std::string bytes(limit, '\0');
  for (;;) {
    const ssize_t count = ::read(from.number(), bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.resize(static_cast<std::size_t>(count));
      return bytes;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::nullopt;
    if (errno != EINTR) check_syscall(count, "read descriptor {}", from.number());
  }
}

void write_all(const FileDescriptor& to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(to.number(), bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd wait_for{.fd = to.number(), .events = POLLOUT, .revents = 0};
      ::poll(&wait_for, 1, -1);
    } else if (errno != EINTR) {
      check_syscall(count, "write descriptor {}", to.number());
    }
  }
}

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
  const FileDescriptor file(
      check_syscall(::open(path.c_str(), O_RDONLY | O_CLOEXEC), "open {}", path.string()));
  std::string bytes;
  for (;;) {
    const auto part =
        with_context("read " + path.string(), [&] { return read_some(file, 1U << 16U); });
    if (!part || part->empty()) return bytes;
    bytes += *part;
    if (bytes.size() > limit)
      throw LabError(std::format("read {}: longer than {} bytes", path.string(), limit));
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path beside = path.string() + ".part";
  {
    const FileDescriptor file(
        check_syscall(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644),
                      "create {}", beside.string()));
    with_context("write " + beside.string(), [&] { write_all(file, bytes); });
  }
  check_syscall(::rename(beside.c_str(), path.c_str()), "rename {} to {}", beside.string(),
                path.string());
}

}  // namespace base
