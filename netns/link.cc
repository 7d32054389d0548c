#include "netns/link.hh"

#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netlink/msg.h>

#include <algorithm>
#include <format>

namespace netns {
namespace {

constexpr int kCreate = NLM_F_CREATE | NLM_F_EXCL;

void put_end(NetlinkMessage& message, const VethEnd& end, std::uint32_t mtu) {
  message.put(IFLA_IFNAME, end.name)
      .put(IFLA_ADDRESS, end.mac)
      .put_u32(IFLA_MTU, mtu)
      .put_u32(IFLA_NUM_TX_QUEUES, 1)
      .put_u32(IFLA_NUM_RX_QUEUES, 1)
      .put_u32(IFLA_GSO_MAX_SEGS, 1);
}

ifinfomsg device_header(InterfaceIndex device) {
  ifinfomsg header{};
  header.ifi_family = AF_UNSPEC;
  header.ifi_index = device.value;
  return header;
}

}  // namespace

std::string to_string(const MacAddress& address) {
  std::string text;
  for (const std::uint8_t byte : address)
    text += std::format("{}{:02x}", text.empty() ? "" : ":", byte);
  return text;
}

void create_veth_pair(NetlinkSocket& socket, const VethEnd& here, const VethEnd& there,
                      const NetworkNamespace& other, std::uint32_t mtu) {
  NetlinkMessage message(RTM_NEWLINK, kCreate, ifinfomsg{});
  put_end(message, here, mtu);
  const ifinfomsg peer{};
  message.nest(IFLA_LINKINFO, [&] {
    message.put(IFLA_INFO_KIND, "veth");
    message.nest(IFLA_INFO_DATA, [&] {
      const auto describe_peer = [&] {
        put_end(message, there, mtu);
        message.put_u32(IFLA_NET_NS_FD, static_cast<std::uint32_t>(other.descriptor()));
      };
      message.nest(VETH_INFO_PEER, describe_peer, std::as_bytes(std::span(&peer, 1)));
    });
  });
  base::with_context(std::format("create the devices {} and {}", here.name, there.name),
                     [&] { socket.request(message); });
}

void create_bridge(NetlinkSocket& socket, std::string_view name, const MacAddress& mac) {
  NetlinkMessage message(RTM_NEWLINK, kCreate, ifinfomsg{});
  message.put(IFLA_IFNAME, name).put(IFLA_ADDRESS, mac);
  message.nest(IFLA_LINKINFO, [&] {
    message.put(IFLA_INFO_KIND, "bridge");
    message.nest(IFLA_INFO_DATA,
                 [&] { message.put_u32(IFLA_BR_STP_STATE, 0).put_u8(IFLA_BR_MCAST_SNOOPING, 0); });
  });
  base::with_context(std::format("create the bridge {}", name), [&] { socket.request(message); });
}

void attach(NetlinkSocket& socket, InterfaceIndex port, InterfaceIndex bridge) {
  NetlinkMessage join(RTM_NEWLINK, 0, device_header(port));
  join.put_u32(IFLA_MASTER, static_cast<std::uint32_t>(bridge.value));
  NetlinkMessage behave(RTM_NEWLINK, 0, device_header(port));
  behave.nest(IFLA_LINKINFO, [&] {
    behave.put(IFLA_INFO_SLAVE_KIND, "bridge");
    behave.nest(IFLA_INFO_SLAVE_DATA, [&] { behave.put_u8(IFLA_BRPORT_LEARNING, 0); });
  });
  base::with_context("make a device a port of the bridge", [&] {
    socket.request(join);
    socket.request(behave);
  });
}

void set_up(NetlinkSocket& socket, InterfaceIndex device, AddressResolution resolution) {
  ifinfomsg header = device_header(device);
  header.ifi_flags = IFF_UP;
  if (resolution == AddressResolution::kOff) header.ifi_flags |= IFF_NOARP;
  header.ifi_change = IFF_UP | IFF_NOARP;
  NetlinkMessage message(RTM_NEWLINK, 0, header);
  base::with_context(std::format("set device {} up", device.value),
                     [&] { socket.request(message); });
}

void add_address(NetlinkSocket& socket, InterfaceIndex device, const IpAddress& address,
                 std::uint8_t prefix_length) {
  ifaddrmsg header{};
  header.ifa_family = static_cast<std::uint8_t>(address.family());
  header.ifa_prefixlen = prefix_length;
  header.ifa_index = static_cast<std::uint32_t>(device.value);
  header.ifa_flags = address.is_v6() ? IFA_F_NODAD : 0;
  NetlinkMessage message(RTM_NEWADDR, kCreate, header);
  message.put(IFA_LOCAL, address.bytes()).put(IFA_ADDRESS, address.bytes());
  base::with_context("add the address " + address.to_string(), [&] { socket.request(message); });
}

void add_permanent_neighbour(NetlinkSocket& socket, InterfaceIndex device, const IpAddress& address,
                             const MacAddress& mac) {
  ndmsg header{};
  header.ndm_family = static_cast<std::uint8_t>(address.family());
  header.ndm_ifindex = device.value;
  header.ndm_state = NUD_PERMANENT;
  NetlinkMessage message(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, header);
  message.put(NDA_DST, address.bytes()).put(NDA_LLADDR, mac);
  base::with_context("add the neighbour " + address.to_string(), [&] { socket.request(message); });
}

LinkState read_link(NetlinkSocket& socket, std::string_view name) {
  NetlinkMessage question(RTM_GETLINK, 0, ifinfomsg{});
  question.put(IFLA_IFNAME, name);
  LinkState state;
  const auto read = [&](const nlmsghdr& answer) {
    if (answer.nlmsg_type != RTM_NEWLINK) return;
    const auto& header = *static_cast<const ifinfomsg*>(nlmsg_data(&answer));
    const NetlinkAttributes attributes(answer, sizeof header);
    state.index = {header.ifi_index};
    state.name = attributes.text(IFLA_IFNAME);
    state.mac = attributes.value<MacAddress>(IFLA_ADDRESS);
    state.mtu = attributes.value<std::uint32_t>(IFLA_MTU);
    state.up = (header.ifi_flags & IFF_UP) != 0;
    state.carrier = attributes.value<std::uint8_t>(IFLA_CARRIER) != 0;
    state.resolves_addresses = (header.ifi_flags & IFF_NOARP) == 0;
    state.gso_max_segs = attributes.value<std::uint32_t>(IFLA_GSO_MAX_SEGS);
    state.bridge = attributes.value<int>(IFLA_MASTER);
  };
  base::with_context(std::format("read the device {}", name), [&] { socket.ask(question, read); });
  return state;
}

std::vector<std::string> read_addresses(NetlinkSocket& socket, InterfaceIndex device) {
  NetlinkMessage question(RTM_GETADDR, NLM_F_DUMP, ifaddrmsg{});
  std::vector<std::string> addresses;
  socket.ask(question, [&](const nlmsghdr& answer) {
    const auto& header = *static_cast<const ifaddrmsg*>(nlmsg_data(&answer));
    if (answer.nlmsg_type != RTM_NEWADDR || header.ifa_index != static_cast<unsigned>(device.value))
      return;
    const auto bytes = NetlinkAttributes(answer, sizeof header).payload(IFA_ADDRESS);
    const auto address = IpAddress::from(bytes);
    if (address)
      addresses.push_back(std::format("{}/{}", address->to_string(), header.ifa_prefixlen));
  });
  return addresses;
}

}  // namespace netns
