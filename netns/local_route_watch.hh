#pragma once

// When an address really works. Linux adds an IPv6 address at once, but the route that makes
// packets to it local only later, in a kernel worker, even without duplicate address detection;
// until then it drops them.

#include "netns/ip_address.hh"
#include "netns/netlink_socket.hh"

#include <vector>

namespace netns {

class LocalRouteWatch {
 public:
  // In the calling thread's namespace, before the addresses are added.
  LocalRouteWatch();
  // Returns once all IPv6 addresses among `addresses` are local; IPv4 ones are from the start.
  // Throws LabError after 5 s.
  void wait_for(const std::vector<IpAddress>& addresses);

 private:
  NetlinkSocket socket_;
};

}  // namespace netns
