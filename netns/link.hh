#pragma once

// Network devices: made, set up and read back by netlink. Every function acts in the namespace of
// its socket.

#include "netns/ip_address.hh"
#include "netns/netlink_socket.hh"
#include "netns/network_namespace.hh"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace netns {

// A device's number within its namespace.
struct InterfaceIndex {
  int value = 0;
  bool operator==(const InterfaceIndex&) const = default;
};

using MacAddress = std::array<std::uint8_t, 6>;
std::string to_string(const MacAddress& address);

struct VethEnd {
  std::string name;
  MacAddress mac{};
};

// Two devices joined back to back: `here` in the socket's namespace, `there` in another. Both are
// down, with one transmit queue, and never form packets larger than `mtu` (gso_max_segs 1).
void create_veth_pair(NetlinkSocket& socket, const VethEnd& here, const VethEnd& there,
                      const NetworkNamespace& other, std::uint32_t mtu);

// A bridge that only forwards: no spanning tree, no multicast snooping. Down.
void create_bridge(NetlinkSocket& socket, std::string_view name, const MacAddress& mac);
// `port` becomes a port of `bridge`. The bridge does not learn: it sends what it gets on one port
// out of the others.
void attach(NetlinkSocket& socket, InterfaceIndex port, InterfaceIndex bridge);

enum class AddressResolution { kOn, kOff };
// With resolution kOff (IFF_NOARP) the device sends no ARP, no neighbour discovery and no multicast
// report for its own addresses, and reaches only neighbours that were added.
void set_up(NetlinkSocket& socket, InterfaceIndex device, AddressResolution resolution);

// Usable at once: no duplicate address detection.
void add_address(NetlinkSocket& socket, InterfaceIndex device, const IpAddress& address,
                 std::uint8_t prefix_length);
void add_permanent_neighbour(NetlinkSocket& socket, InterfaceIndex device, const IpAddress& address,
                             const MacAddress& mac);

struct LinkState {
  InterfaceIndex index;
  std::string name;
  MacAddress mac{};
  std::uint32_t mtu = 0;
  bool up = false;
  bool carrier = false;  // both ends of the pair are up
  bool resolves_addresses = false;
  std::uint32_t gso_max_segs = 0;
  int bridge = 0;  // index of the bridge of which it is a port, or 0
};
// Throws NetlinkError when there is no such device.
LinkState read_link(NetlinkSocket& socket, std::string_view name);
// "198.51.100.1/24" and so on, in the kernel's order.
std::vector<std::string> read_addresses(NetlinkSocket& socket, InterfaceIndex device);

}  // namespace netns
