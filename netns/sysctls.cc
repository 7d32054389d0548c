#include "netns/sysctls.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <format>
#include <optional>
#include <unistd.h>

namespace netns {
namespace {

using base::check_syscall;

constexpr std::size_t kLongestValue = 4096;

// The kernel separates fields with tabs and ends with a line feed.
std::string normalised(std::string_view text) {
  std::string value;
  for (const char c : text) value += c == '\t' ? ' ' : c;
  while (!value.empty() && (value.back() == '\n' || value.back() == ' ')) value.pop_back();
  return value;
}

std::string read_value(const base::FileDescriptor& file, std::string_view name) {
  std::array<char, kLongestValue> buffer;
  const ssize_t count = check_syscall(::pread(file.number(), buffer.data(), buffer.size(), 0),
                                      "read the sysctl {}", name);
  return normalised({buffer.data(), static_cast<std::size_t>(count)});
}

bool is_permitted(const base::FileDescriptor& file, const SysctlSetting& setting,
                  std::string_view value) {
  const ssize_t written = ::pwrite(file.number(), value.data(), value.size(), 0);
  if (written < 0 && errno == EPERM && !setting.instead.empty()) return false;
  check_syscall(written, "set the sysctl {} to \"{}\"", setting.name, value);
  return true;
}

std::optional<std::string> apply(const SysctlSetting& setting) {
  std::string path = "/proc/sys/";
  for (const char c : setting.name) path += c == '.' ? '/' : c;
  const bool sets = !setting.wanted.empty();
  const int opened = ::open(path.c_str(), (sets ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (opened < 0 && errno == ENOENT) return std::nullopt;
  const base::FileDescriptor file(check_syscall(opened, "open the sysctl {}", setting.name));
  std::string value = read_value(file, setting.name);
  if (!sets || value == setting.wanted) return value;
  std::string_view asked = setting.wanted;
  if (!is_permitted(file, setting, asked)) {
    asked = setting.instead;
    is_permitted(file, {.name = setting.name, .wanted = asked, .reason = {}}, asked);
  }
  value = read_value(file, setting.name);
  if (value != asked)
    throw base::LabError(std::format("the sysctl {} is \"{}\" after it was set to \"{}\"",
                                     setting.name, value, asked));
  return value;
}

}  // namespace

std::vector<SysctlFact> apply_sysctls(std::span<const SysctlSetting> settings) {
  std::vector<SysctlFact> facts;
  for (const SysctlSetting& setting : settings)
    facts.push_back({.name = std::string(setting.name),
                     .wanted = std::string(setting.wanted),
                     .value = apply(setting),
                     .reason = std::string(setting.reason)});
  return facts;
}

}  // namespace netns
