#include "harness/server_folder.hh"

#include "base/errors.hh"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace harness {

namespace fs = std::filesystem;
using base::check_syscall;

ServerFolder::ServerFolder(fs::path path, uid_t user) : path_(std::move(path)), user_(user) {
  check_syscall(::mkdir(path_.c_str(), 0755), "create {}", path_.string());
}

void ServerFolder::give_away(const fs::path& path) const {
  const gid_t group = user_;
  check_syscall(::lchown(path.c_str(), user_, group), "give {} to user {}", path.string(), user_);
}

void ServerFolder::write(const endpoints::ServerFile& file) const {
  base::write_file_atomically(path_ / file.name, file.text);
  give_away(path_ / file.name);
}

base::FileDescriptor ServerFolder::make_notify_socket(const std::string& name) const {
  const fs::path path = path_ / name;
  base::FileDescriptor socket(
      check_syscall(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0),
                    "open a socket for readiness"));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  LABRUN_ASSERT(path.string().size() < sizeof address.sun_path);
  std::ranges::copy(path.string(), address.sun_path);
  check_syscall(
      ::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
      "bind {}", path.string());
  give_away(path);
  return socket;
}

void ServerFolder::hand_over() const {
  give_away(path_);
}

}  // namespace harness
