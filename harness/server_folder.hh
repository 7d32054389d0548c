#pragma once

// The folder that a real server works in. It is ours while it is filled, so that nobody can plant a
// link where we write, and its user's from hand_over() on; after that we write nothing there.

#include "base/file_descriptor.hh"
#include "endpoints/real_server.hh"

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace harness {

class ServerFolder {
 public:
  // Creates it; it must not exist. `user` is who the programs run as.
  ServerFolder(std::filesystem::path path, uid_t user);

  const std::filesystem::path& path() const { return path_; }
  void write(const endpoints::ServerFile& file) const;
  // sd_notify(3): a socket at `name` that programs write READY=1 to.
  base::FileDescriptor make_notify_socket(const std::string& name) const;
  void hand_over() const;

 private:
  void give_away(const std::filesystem::path& path) const;

  std::filesystem::path path_;
  uid_t user_;
};

}  // namespace harness
