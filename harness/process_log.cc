#include "harness/process_log.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"

#include <algorithm>
#include <fcntl.h>
#include <format>
#include <unistd.h>
#include <utility>

namespace harness {
namespace {

// Enough to see why a program ended.
constexpr std::size_t kQuotedBytes = 2000;

// Goes into JSON and onto terminals, and comes from a program that may have gone wrong.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return (c < ' ' && c != '\n' && c != '\t') || c == '\x7f' || c < 0; },
      '?');
  return text;
}

}  // namespace

std::string end_of_log(const std::filesystem::path& log) {
  const base::FileDescriptor file(::open(log.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return "nothing";
  const off_t size = ::lseek(file.number(), 0, SEEK_END);
  std::string said(kQuotedBytes, '\0');
  const ssize_t count = ::pread(file.number(), said.data(), said.size(),
                                std::max<off_t>(0, size - static_cast<off_t>(said.size())));
  if (count <= 0) return "nothing";
  said.resize(static_cast<std::size_t>(count));
  said.erase(said.find_last_not_of('\n') + 1);
  return said.empty() ? "nothing" : printable(std::move(said));
}

void note_in_log(const std::filesystem::path& log, const std::string& note) {
  const base::FileDescriptor file(base::check_syscall(
      ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644), "open {}",
      log.string()));
  base::write_all(file, std::format("[labrun: {}]\n", note));
}

}  // namespace harness
