#include "netns/lab_network.hh"

#include "base/errors.hh"
#include "netns/link.hh"
#include "netns/local_route_watch.hh"
#include "netns/offload.hh"
#include "netns/sysctls.hh"

#include <algorithm>
#include <array>
#include <format>
#include <set>

namespace netns {
namespace {

using base::LabError;
using base::with_context;

constexpr std::string_view kBridge = "bridge";
constexpr std::string_view kToClient = "to-client";
constexpr std::string_view kToServer = "to-server";
constexpr std::uint8_t kPrefixV4 = 24;
constexpr std::uint8_t kPrefixV6 = 64;

// Locally administered, and fixed: captures repeat to the byte.
constexpr MacAddress kToClientMac{0x02, 0, 0, 0, 0, 0x11};
constexpr MacAddress kToServerMac{0x02, 0, 0, 0, 0, 0x12};
constexpr MacAddress kBridgeMac{0x02, 0, 0, 0, 0, 0x10};

std::uint8_t prefix_length(const IpAddress& address) {
  return address.is_v6() ? kPrefixV6 : kPrefixV4;
}

void require_sane(const LabNetworkSpec& spec) {
  if (spec.mtu < kSmallestMtu || spec.mtu > kLargestMtu)
    throw LabError(
        std::format("mtu {} is not between {} and {}", spec.mtu, kSmallestMtu, kLargestMtu));
  if (spec.client_addresses.empty() || spec.server_addresses.empty())
    throw LabError("each end needs at least one address");
  std::set<IpAddress> seen;
  for (const auto* addresses : {&spec.client_addresses, &spec.server_addresses})
    for (const IpAddress& address : *addresses)
      if (!seen.insert(address).second)
        throw LabError("the address " + address.to_string() + " is used twice");
}

NetlinkSocket open_netlink_in(const NetworkNamespace& space) {
  const Entered inside(space);
  return NetlinkSocket();
}

struct Device {
  std::string_view space;
  std::string_view name;
  MacAddress mac;
};
constexpr std::array<Device, 4> kVethEnds{{{"client", kEndDevice, kClientMac},
                                           {"wire", kToClient, kToClientMac},
                                           {"wire", kToServer, kToServerMac},
                                           {"server", kEndDevice, kServerMac}}};

DeviceFact read_device(NetlinkSocket& socket, const Device& device) {
  const LinkState state = read_link(socket, device.name);
  return {.space = std::string(device.space),
          .name = state.name,
          .mac = to_string(state.mac),
          .mtu = state.mtu,
          .up = state.up,
          .carrier = state.carrier,
          .gso_max_segs = state.gso_max_segs,
          .offloads = read_offloads(device.name),
          .addresses = read_addresses(socket, state.index)};
}

void require(bool holds, const DeviceFact& device, std::string_view what) {
  if (!holds) throw LabError(std::format("device {} in {}: {}", device.name, device.space, what));
}

std::set<std::string> with_prefixes(const std::vector<IpAddress>& addresses) {
  std::set<std::string> texts;
  for (const IpAddress& address : addresses)
    texts.insert(std::format("{}/{}", address.to_string(), prefix_length(address)));
  return texts;
}

}  // namespace

LabNetwork::LabNetwork(const LabNetworkSpec& spec)
    : mtu_(spec.mtu),
      client_(NetworkNamespace::create()),
      wire_(NetworkNamespace::create()),
      server_(NetworkNamespace::create()),
      wire_socket_(open_netlink_in(wire_)) {
  require_sane(spec);
  // Before there are devices, which take the defaults that they find.
  set_sysctls();
  with_context("build the wire", [&] { build_wire(spec.mtu); });
  with_context("configure the client", [&] {
    configure_end(client_, spec.client_addresses, spec.server_addresses, kServerMac);
  });
  with_context("configure the server", [&] {
    configure_end(server_, spec.server_addresses, spec.client_addresses, kClientMac);
  });
  with_context("verify the network", [&] { verify_devices(spec); });
}

void LabNetwork::set_sysctls() {
  const auto apply_in = [&](const std::string& name, const NetworkNamespace& space, auto settings) {
    with_context("sysctls of the namespace " + name, [&] {
      const Entered inside(space);
      sysctls_[name] = apply_sysctls(settings);
    });
  };
  apply_in("client", client_, end_sysctls());
  apply_in("wire", wire_, wire_sysctls());
  apply_in("server", server_, end_sysctls());
}

void LabNetwork::build_wire(std::uint32_t mtu) {
  const Entered inside(wire_);
  const std::string end(kEndDevice);
  create_bridge(wire_socket_, kBridge, kBridgeMac);
  create_veth_pair(wire_socket_, {std::string(kToClient), kToClientMac}, {end, kClientMac}, client_,
                   mtu);
  create_veth_pair(wire_socket_, {std::string(kToServer), kToServerMac}, {end, kServerMac}, server_,
                   mtu);
  const InterfaceIndex bridge = read_link(wire_socket_, kBridge).index;
  to_client_ = read_link(wire_socket_, kToClient).index;
  to_server_ = read_link(wire_socket_, kToServer).index;
  for (const std::string_view name : {kToClient, kToServer}) turn_offloads_off(name);
  for (const InterfaceIndex port : {to_client_, to_server_}) {
    attach(wire_socket_, port, bridge);
    set_up(wire_socket_, port, AddressResolution::kOff);
  }
  set_up(wire_socket_, bridge, AddressResolution::kOff);
}

void LabNetwork::configure_end(const NetworkNamespace& space, const std::vector<IpAddress>& own,
                               const std::vector<IpAddress>& other, const MacAddress& other_mac) {
  const Entered inside(space);
  NetlinkSocket socket;
  LocalRouteWatch routes;
  turn_offloads_off(kEndDevice);
  const InterfaceIndex device = read_link(socket, kEndDevice).index;
  set_up(socket, read_link(socket, "lo").index, AddressResolution::kOn);
  set_up(socket, device, AddressResolution::kOff);
  for (const IpAddress& address : own) add_address(socket, device, address, prefix_length(address));
  routes.wait_for(own);
  for (const IpAddress& address : other)
    add_permanent_neighbour(socket, device, address, other_mac);
}

std::vector<DeviceFact> LabNetwork::read_devices() {
  std::vector<DeviceFact> facts;
  for (const Device& device : kVethEnds) {
    const Entered inside(device.space == "client"   ? client_
                         : device.space == "server" ? server_
                                                    : wire_);
    NetlinkSocket socket;
    facts.push_back(read_device(socket, device));
  }
  return facts;
}

void LabNetwork::verify_devices(const LabNetworkSpec& spec) {
  const std::vector<DeviceFact> devices = read_devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceFact& device = devices[i];
    require(device.up && device.carrier, device, "is not up");
    require(device.mtu == spec.mtu, device, "has another MTU");
    require(device.mac == to_string(kVethEnds[i].mac), device, "has another MAC address");
    require(device.gso_max_segs == 1, device, "may form packets larger than the MTU");
    const auto is_active = [](const auto& offload) { return offload.second; };
    require(std::ranges::none_of(device.offloads, is_active), device, "has offloads on");
    const std::set<std::string> found(device.addresses.begin(), device.addresses.end());
    const auto wanted = device.space == "client"   ? with_prefixes(spec.client_addresses)
                        : device.space == "server" ? with_prefixes(spec.server_addresses)
                                                   : std::set<std::string>();
    require(found == wanted, device, "has other addresses than the lab's");
  }
}

void LabNetwork::impair(const PathSpec& path, const PathSeeds& seeds) {
  if (netem_) return netem_->change(path, seeds);
  if (!impairs(path.to_server) && !impairs(path.to_client)) return;
  netem_.emplace(wire_socket_, to_server_, to_client_, path, seeds);
}

void LabNetwork::verify_impairment() {
  if (netem_) netem_->verify();
}

LabNetwork::PathCounters LabNetwork::counters() {
  if (!netem_) return {};
  return {.to_server = netem_->read_to_server().counters,
          .to_client = netem_->read_to_client().counters};
}

NetworkFacts LabNetwork::facts() {
  NetworkFacts facts{
      .sysctls = sysctls_, .devices = read_devices(), .to_server = {}, .to_client = {}};
  const auto fact_of = [](const QdiscReport& report) {
    return NetemFact{
        .spec = to_spec(report.state), .seed = report.state.seed, .counters = report.counters};
  };
  if (netem_) {
    facts.to_server = fact_of(netem_->read_to_server());
    facts.to_client = fact_of(netem_->read_to_client());
  }
  return facts;
}

}  // namespace netns
