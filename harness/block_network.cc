#include "harness/block_network.hh"

#include "base/errors.hh"

namespace harness {

netns::IpAddress address_of(const std::string& text) {
  const auto address = netns::IpAddress::parse(text);
  LABRUN_ASSERT(address.has_value());
  return *address;
}

netns::LabNetworkSpec network_spec(const Plan& plan) {
  netns::LabNetworkSpec spec{.mtu = plan.mtu, .client_addresses = {}, .server_addresses = {}};
  for (const std::string& address : plan.client_addresses)
    spec.client_addresses.push_back(address_of(address));
  for (const PlannedArm& arm : plan.arms)
    spec.server_addresses.push_back(address_of(arm.server_address));
  return spec;
}

netns::PathSpec without_chance(const netns::PathSpec& path) {
  const auto one_way = [](const netns::OneWaySpec& spec) {
    netns::OneWaySpec calm;
    calm.delay = spec.delay;
    calm.rate = spec.rate;
    return calm;
  };
  return {.to_server = one_way(path.to_server), .to_client = one_way(path.to_client)};
}

analysis::PathTimes path_times(const PlannedArm& arm) {
  return {.to_server = arm.path.to_server.delay,
          .to_client = arm.path.to_client.delay,
          .timeout = arm.client.timeout};
}

}  // namespace harness
