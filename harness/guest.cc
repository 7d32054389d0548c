#include "harness/guest.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "harness/block_messages.hh"
#include "harness/block_task.hh"
#include "harness/lab_kernel.hh"
#include "harness/plan.hh"
#include "harness/plan_json.hh"
#include "harness/server_releases.hh"

#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <format>
#include <string>
#include <termios.h>
#include <unistd.h>
#include <vector>

namespace harness {
namespace {

namespace fs = std::filesystem;

std::string required_word(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw base::LabError(std::format("start as PID 1: {} is not set", name));
  return value;
}

void mount_at(const char* source, const fs::path& target, const char* type, unsigned long flags,
              const std::string& options) {
  base::check_syscall(::mount(source, target.c_str(), type, flags, options.c_str()),
                      "mount {} at {} ({})", type, target.string(), options);
}

// A folder of the host, shown at `target`.
void mount_host_folder(const fs::path& folder, const fs::path& target, unsigned long flags) {
  fs::create_directories(target);
  // mount(2) passes hostfs the path as it is; only the newer fsconfig(2) has a name for it.
  mount_at("none", target, "hostfs", flags, folder.string());
}

// Opened while the host's root directory is in sight.
std::vector<base::FileDescriptor> open_releases(std::size_t count) {
  std::vector<base::FileDescriptor> folders;
  for (std::size_t number = 0; number < count; ++number) {
    const std::string path = required_word(guest_release_word(number).c_str());
    folders.emplace_back(base::check_syscall(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC),
                                             "open {}", path));
  }
  return folders;
}

// A root directory that a server's programs come from. They find the lab's folders under the same
// names as in the lab root, and leave nothing in what is the host's.
void show_release(const base::FileDescriptor& folder, const fs::path& memory,
                  const fs::path& merged) {
  base::check_syscall(::fchdir(folder.number()), "enter the root of {}", memory.string());
  for (const char* kind : {"upper", "work"}) fs::create_directories(memory / kind);
  const fs::path place = merged / "run/labrun/releases" / memory.filename();
  fs::create_directories(place);
  mount_at("none", place, "overlay", 0,
           std::format("lowerdir=.,upperdir={0}/upper,workdir={0}/work", memory.string()));
  for (const char* shared : {"proc", "dev", "tmp", "run"}) {
    fs::create_directories(place / shared);
    mount_at((merged / shared).c_str(), place / shared, "none", MS_BIND, "");
  }
}

// Makes the lab root the root directory, writable in memory only: what a run leaves there would be
// an input of the next. The host's own root, which the kernel booted from, stays out of sight.
void enter_lab_root(const fs::path& root, std::size_t releases) {
  const std::vector<base::FileDescriptor> release_folders = open_releases(releases);
  // Entered first, because the folder may lie below /tmp, which is hidden next. Below it is named
  // by ".", because a path may hold the colons and commas that separate mount options.
  base::check_syscall(::chdir(root.c_str()), "enter {}", root.string());
  const fs::path memory = "/tmp";
  mount_at("none", memory, "tmpfs", 0, "mode=755");
  const fs::path merged = memory / "root";
  for (const char* folder : {"root", "upper", "work"}) fs::create_directory(memory / folder);
  mount_at("none", merged, "overlay", 0, "lowerdir=.,upperdir=/tmp/upper,workdir=/tmp/work");
  for (const char* folder : {"proc", "sys", "dev", "tmp", "run"})
    fs::create_directories(merged / folder);
  mount_at("none", merged / "proc", "proc", 0, "");
  mount_at("none", merged / "sys", "sysfs", 0, "");
  mount_at("none", merged / "dev", "devtmpfs", 0, "");
  mount_at("none", merged / "tmp", "tmpfs", 0, "");
  mount_at("none", merged / "run", "tmpfs", 0, "");
  // Our programs name their loader and libraries by the root's path on the host.
  const fs::path own_name = merged.string() + root.string();
  fs::create_directories(own_name.parent_path());
  fs::remove(own_name);  // an empty folder, where somebody once mounted the root inside itself
  fs::create_symlink("/", own_name);

  mount_host_folder(required_word(kGuestProgramsWord), merged / "run/labrun/programs", MS_RDONLY);
  mount_host_folder(required_word(kGuestRunWord), merged / "run/labrun/run", 0);
  for (std::size_t number = 0; number < releases; ++number)
    show_release(release_folders[number], memory / "releases" / std::to_string(number), merged);
  base::check_syscall(::chroot(merged.c_str()), "make {} the root directory", merged.string());
  base::check_syscall(::chdir("/"), "enter the lab root");
}

// The serial line would otherwise rewrite line feeds.
base::FileDescriptor open_message_line() {
  base::FileDescriptor line(
      base::check_syscall(::open(LabKernel::kMessageLine, O_WRONLY | O_NOCTTY | O_CLOEXEC),
                          "open {}", LabKernel::kMessageLine));
  termios settings{};
  base::check_syscall(::tcgetattr(line.number(), &settings), "read the settings of {}",
                      LabKernel::kMessageLine);
  ::cfmakeraw(&settings);
  base::check_syscall(::tcsetattr(line.number(), TCSANOW, &settings), "set up {}",
                      LabKernel::kMessageLine);
  return line;
}

void run_block_as_guest(const BlockMessages& messages) {
  // The host's, which is in sight until the lab root is entered.
  const Plan plan =
      plan_from_json(base::read_file(fs::path(required_word(kGuestRunWord)) / "plan.json"));
  enter_lab_root(required_word(kGuestRootWord), server_releases(plan).size());
  const fs::path run = "/run/labrun/run";
  const std::size_t number = std::stoul(required_word(kGuestBlockWord));
  LABRUN_ASSERT(number < plan.blocks.size());
  run_block_task({.plan = plan,
                  .block = plan.blocks[number],
                  .programs = "/run/labrun/programs",
                  .releases = "/run/labrun/releases",
                  .scratch = "/run",
                  .results = run / block_folder(plan.blocks[number].index),
                  .virtual_time = true},
                 messages);
}

}  // namespace

std::string guest_release_word(std::size_t number) {
  return std::format("LABRUN_RELEASE_{}", number);
}

bool is_guest() {
  return ::getpid() == 1 && std::getenv(kGuestRootWord) != nullptr;
}

void run_guest() {
  try {
    const BlockMessages messages(open_message_line());
    try {
      run_block_as_guest(messages);
      messages.finished();
    } catch (const std::exception& error) {
      messages.failed(base::describe_nested(error));
    }
  } catch (const std::exception& error) {
    // Nothing but the console is left to say it on.
    base::write_all(base::FileDescriptor(STDERR_FILENO), base::describe_nested(error) + "\n");
  }
  ::sync();
  ::reboot(RB_POWER_OFF);
  ::_exit(base::kExitLabFailure);
}

}  // namespace harness
