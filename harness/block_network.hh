#pragma once

// What a plan's arms need of the network.

#include "analysis/past.hh"
#include "harness/plan.hh"
#include "netns/ip_address.hh"
#include "netns/lab_network.hh"
#include "netns/path_spec.hh"

#include <string>

namespace harness {

netns::LabNetworkSpec network_spec(const Plan& plan);
// Of a plan, whose addresses are well-formed.
netns::IpAddress address_of(const std::string& text);
// What the path adds to every packet, without what happens to some packets only.
netns::PathSpec without_chance(const netns::PathSpec& path);
// What a walk over an arm's losses must know of its path.
analysis::PathTimes path_times(const PlannedArm& arm);

}  // namespace harness
