#pragma once

// The lab's network: three namespaces, `client`, `wire` and `server`, joined by two veth pairs
// whose middle ends are the only ports of a bridge. netem sits on the egress of the bridge's ports,
// so no sender's stack sees it and both ends can be captured on a device without a queueing
// discipline.
//
//     client: eth0 === to-client |bridge| to-server === eth0 :server
//                      (netem: way to the client)  (netem: way to the server)
//
// Nothing but what the ends send is on the wire: neighbours are static and ARP and neighbour
// discovery are off (IFF_NOARP), there are no link-local addresses, no router or multicast
// discovery, no spanning tree.

#include "netns/ip_address.hh"
#include "netns/link.hh"
#include "netns/netem_qdisc.hh"
#include "netns/netlink_socket.hh"
#include "netns/network_facts.hh"
#include "netns/network_namespace.hh"
#include "netns/path_spec.hh"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netns {

// Name of the one device, besides loopback, in `client` and in `server`: the place to capture.
inline constexpr std::string_view kEndDevice = "eth0";
// Addresses of that device at each end.
inline constexpr MacAddress kClientMac{0x02, 0, 0, 0, 0, 0x01};
inline constexpr MacAddress kServerMac{0x02, 0, 0, 0, 0, 0x02};

struct LabNetworkSpec {
  std::uint32_t mtu = 1500;
  // Each /24 or /64 and on one link: no routes, no gateway. At least one of each end, all distinct.
  std::vector<IpAddress> client_addresses;
  std::vector<IpAddress> server_addresses;
};

// Not movable: netem's side keeps the address of the wire's socket.
class LabNetwork {
 public:
  // Builds everything, reads it back and compares. Throws LabError that names what differs,
  // SystemError with EPERM without the right to create namespaces. Needs /proc. Takes about a
  // thousand system calls; nothing is left behind when it throws.
  explicit LabNetwork(const LabNetworkSpec& spec);

  LabNetwork(const LabNetwork&) = delete;
  LabNetwork& operator=(const LabNetwork&) = delete;

  const NetworkNamespace& client_namespace() const { return client_; }
  const NetworkNamespace& wire_namespace() const { return wire_; }
  const NetworkNamespace& server_namespace() const { return server_; }
  // The bridge's ports in `wire`.
  InterfaceIndex to_client_port() const { return to_client_; }
  InterfaceIndex to_server_port() const { return to_server_; }
  std::uint32_t mtu() const { return mtu_; }

  // Sets both directions and restarts their random draws (and the loss models, in their good
  // state); packets under way stay. Two system calls once netem is installed, meant for every
  // query. A path that impairs nothing, in both directions and from the start, installs nothing.
  // Throws NetemUnavailable where the kernel has no netem.
  void impair(const PathSpec& path, const PathSeeds& seeds);
  // Reads both directions back and throws LabError that names the first field in which the kernel
  // differs from what impair() was last given.
  void verify_impairment();

  // nullopt where no netem is installed. `queued_packets` of both at 0: nothing is under way.
  struct PathCounters {
    std::optional<QdiscCounters> to_server;
    std::optional<QdiscCounters> to_client;
    bool operator==(const PathCounters&) const = default;
  };
  PathCounters counters();

  // Reads back everything that can change, again; sysctls as they were read when the network was
  // built.
  NetworkFacts facts();

 private:
  void set_sysctls();
  void build_wire(std::uint32_t mtu);
  void configure_end(const NetworkNamespace& space, const std::vector<IpAddress>& own,
                     const std::vector<IpAddress>& other, const MacAddress& other_mac);
  std::vector<DeviceFact> read_devices();
  void verify_devices(const LabNetworkSpec& spec);

  std::uint32_t mtu_;
  NetworkNamespace client_;
  NetworkNamespace wire_;
  NetworkNamespace server_;
  NetlinkSocket wire_socket_;
  InterfaceIndex to_server_;
  InterfaceIndex to_client_;
  std::map<std::string, std::vector<SysctlFact>> sysctls_;
  std::optional<NetemPair> netem_;
};

}  // namespace netns
