#pragma once

// Two network namespaces and a cable between them, for servers by others: they have the standard
// ports, and nobody else's packets are there. The lab's own network needs a right more: to set what
// a user namespace does not show.

#include "base/child_process.hh"
#include "netns/network_namespace.hh"

#include <filesystem>
#include <string>
#include <vector>

namespace decoder {

inline constexpr const char* kClientAddress = "198.51.100.1";
inline constexpr const char* kServerAddress = "198.51.100.53";
// The device at both ends. It carries packets as they are on a wire, without offloads.
inline constexpr const char* kDevice = "eth0";

class PrivateNetwork {
 public:
  // A process that may not create namespaces enters a user namespace of its own first, for good.
  // Throws SystemError, with EPERM, where that is not allowed either.
  PrivateNetwork();

  // Each starts a program at its end, with its output and errors appended to `log`, beside which it
  // has its home.
  base::ChildProcess start_client(const std::vector<std::string>& argv,
                                  const std::filesystem::path& log) const;
  base::ChildProcess start_server(const std::vector<std::string>& argv,
                                  const std::filesystem::path& log) const;

  const netns::NetworkNamespace& client() const { return client_; }

 private:
  netns::NetworkNamespace client_;
  netns::NetworkNamespace server_;
};

}  // namespace decoder
