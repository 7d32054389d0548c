#pragma once

// netem on the two egress ports of the wire.

#include "base/errors.hh"
#include "netns/link.hh"
#include "netns/netem_options.hh"
#include "netns/netlink_socket.hh"
#include "netns/network_facts.hh"
#include "netns/path_spec.hh"

#include <array>
#include <optional>

namespace netns {

// This kernel cannot impair; the text says what to do.
class NetemUnavailable : public base::LabError {
 public:
  explicit NetemUnavailable(const std::string& reason);
};

// One direction as the kernel reports it.
struct QdiscReport {
  NetemState state;
  QdiscCounters counters;
};

// netem in both directions, changed together. Vanishes with the devices. The socket belongs to the
// caller and outlives this.
class NetemPair {
 public:
  // Installs both. Throws NetemUnavailable where the kernel has no netem.
  NetemPair(NetlinkSocket& wire, InterfaceIndex to_server, InterfaceIndex to_client,
            const PathSpec& path, const PathSeeds& seeds);

  // Everything of both directions, random draws restarted, in two system calls. Counters and
  // packets under way stay.
  void change(const PathSpec& path, const PathSeeds& seeds);
  // Compares the kernel's report with what was last set; throws LabError that names direction and
  // field.
  void verify();

  QdiscReport read_to_server() { return read(to_server_); }
  QdiscReport read_to_client() { return read(to_client_); }

 private:
  void send(int flags);
  QdiscReport read(InterfaceIndex device);

  NetlinkSocket* wire_;
  InterfaceIndex to_server_;
  InterfaceIndex to_client_;
  PathSpec path_;
  PathSeeds seeds_;
};

}  // namespace netns
