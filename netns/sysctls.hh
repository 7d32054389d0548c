#pragma once

// Kernel settings of a namespace: every one that shapes what is measured is set and read back,
// never inherited from the host.

#include "netns/network_facts.hh"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace netns {

struct SysctlSetting {
  std::string_view name;  // "net.ipv4.tcp_sack"
  std::string_view
      wanted;  // empty: only recorded, because the kernel has one value for all namespaces
  std::string_view reason;
  // Taken where the kernel does not permit `wanted` in a namespace of its own; empty: that is an
  // error.
  std::string_view instead{};
};

// For the two ends, and for the namespace between them. Settings of devices are the defaults that a
// device created later gets.
std::span<const SysctlSetting> end_sysctls();
std::span<const SysctlSetting> wire_sysctls();

// Applies settings in the calling thread's namespace, in order, and reads each back. One that this
// kernel lacks is recorded as absent. Throws LabError when a value does not stick.
std::vector<SysctlFact> apply_sysctls(std::span<const SysctlSetting> settings);

}  // namespace netns
