#include "harness/run_directory.hh"

#include "base/clock.hh"
#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "harness/block_task.hh"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <format>
#include <unistd.h>

namespace harness {
namespace {

namespace fs = std::filesystem;

template <typename Number>
std::optional<Number> number_from_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  Number number{};
  const std::string_view view(text);
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), number);
  if (error != std::errc{} || end != view.data() + view.size()) return std::nullopt;
  return number;
}

fs::path default_path(std::string_view scenario_name) {
  const std::chrono::sys_time<std::chrono::nanoseconds> now{
      std::chrono::nanoseconds(base::wall_clock_ns())};
  return fs::path("runs") / std::format("{}-{:%Y%m%dT%H%M%SZ}", scenario_name,
                                        std::chrono::floor<std::chrono::seconds>(now));
}

void give_to(const fs::path& path, const Owner& owner) {
  if (::lchown(path.c_str(), owner.user, owner.group) != 0) return;
}

// Creates missing parents one by one, so that those that we make belong to the invoking user too.
void create_folder(const fs::path& folder) {
  if (fs::exists(folder)) return;
  if (folder.has_parent_path()) create_folder(folder.parent_path());
  std::error_code error;
  if (!fs::create_directory(folder, error) && error)
    throw base::LabError(std::format(
        "create the run directory {}: {}; choose another place with --out, or change to a "
        "folder that you may write to",
        folder.string(), error.message()));
  if (const auto owner = invoking_user()) give_to(folder, *owner);
}

}  // namespace

std::optional<Owner> invoking_user() {
  if (::geteuid() != 0) return std::nullopt;
  const auto user = number_from_environment<uid_t>("SUDO_UID");
  const auto group = number_from_environment<gid_t>("SUDO_GID");
  if (!user || !group) return std::nullopt;
  return Owner{*user, *group};
}

RunDirectory RunDirectory::create(const std::optional<fs::path>& chosen,
                                  std::string_view scenario_name) {
  fs::path path = fs::absolute(chosen.value_or(default_path(scenario_name))).lexically_normal();
  if (!chosen) {
    // Two runs within one second.
    const fs::path first = path;
    for (int attempt = 2; fs::exists(path); ++attempt)
      path = first.string() + "-" + std::to_string(attempt);
  } else if (fs::exists(path) && !(fs::is_directory(path) && fs::is_empty(path))) {
    throw base::LabError("create the run directory " + path.string() +
                         ": it exists and is not empty; nothing is ever overwritten");
  }
  RunDirectory directory(path);
  directory.create_folders();
  return directory;
}

RunDirectory RunDirectory::reopen(const fs::path& path) {
  RunDirectory directory(fs::absolute(path).lexically_normal());
  directory.create_folders();
  return directory;
}

void RunDirectory::create_folders() const {
  create_folder(path_);
  for (const fs::path& folder : {captures(), logs(), path_ / "blocks", path_ / ".scratch"})
    create_folder(folder);
}

fs::path RunDirectory::block(std::uint32_t index) const {
  return path_ / block_folder(index);
}

fs::path RunDirectory::scratch(std::uint32_t index) const {
  return path_ / ".scratch" / std::to_string(index);
}

void RunDirectory::write(std::string_view name, std::string_view bytes) const {
  base::write_file_atomically(path_ / name, bytes);
}

void RunDirectory::append(std::string_view name, std::string_view bytes) const {
  const fs::path file = path_ / name;
  const base::FileDescriptor descriptor(
      base::check_syscall(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644),
                          "open {}", file.string()));
  base::with_context("append to " + file.string(), [&] { base::write_all(descriptor, bytes); });
}

void RunDirectory::hand_over() const noexcept {
  std::error_code ignored;
  fs::remove_all(path_ / ".scratch", ignored);
  fs::remove(path_ / "blocks", ignored);  // only where no unfinished block is left in it
  const auto owner = invoking_user();
  if (!owner) return;
  give_to(path_, *owner);
  for (auto entry = fs::recursive_directory_iterator(path_, ignored);
       entry != fs::recursive_directory_iterator(); entry.increment(ignored)) {
    if (ignored) return;
    give_to(entry->path(), *owner);
  }
}

}  // namespace harness
