#pragma once

// A file descriptor with one owner, and whole reads and writes on it.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace base {

// Owns one open descriptor, or none. Closing never throws.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close();
  // Gives the descriptor away; the caller closes it.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};
// Close-on-exec at both ends; a child is given the end that it needs by ChildProcess.
Pipe make_pipe();

// Reads what is there, at most `limit` bytes: nullopt when a non-blocking descriptor has nothing,
// empty at the end.
std::optional<std::string> read_some(const FileDescriptor& from, std::size_t limit);
// Writes everything or throws; waits when a non-blocking descriptor is full.
void write_all(const FileDescriptor& to, std::string_view bytes);

// Whole files. `limit` bounds what an untrusted file may cost; a longer one throws LabError.
std::string read_file(const std::filesystem::path& path, std::size_t limit = 1U << 30U);
// Writes beside the target and renames, so that a kill leaves the old file or the new one, never
// half of one.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

inline std::span<const std::uint8_t> as_byte_span(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace base
