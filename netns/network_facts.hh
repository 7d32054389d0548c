#pragma once

// What a lab network was, as its kernel reports it: evidence for facts.json and the fidelity proof.

#include "base/rng.hh"
#include "netns/path_spec.hh"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace netns {

// One kernel setting of one namespace. `value` is as read back; nullopt where this kernel does not
// have it.
struct SysctlFact {
  std::string name;    // "net.ipv4.tcp_congestion_control"
  std::string wanted;  // empty where the value is only recorded
  std::optional<std::string> value;
  std::string reason;
};

struct DeviceFact {
  std::string space;  // "client", "wire", "server"
  std::string name;
  std::string mac;
  std::uint32_t mtu = 0;
  bool up = false;
  bool carrier = false;
  std::uint32_t gso_max_segs = 0;
  // Offloads that change what a qdisc or a capture sees, and whether each is active.
  std::map<std::string, bool> offloads;
  std::vector<std::string> addresses;  // "198.51.100.1/24"
};

// Counted since the qdisc was installed. Packets, not queries; netem's own counts exist from
// Linux 7.2 or so on.
struct QdiscCounters {
  std::uint64_t sent_packets = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t dropped = 0;  // by loss model and queue together
  std::uint64_t overlimits = 0;
  std::uint64_t requeues = 0;
  std::uint32_t queued_packets = 0;
  std::uint32_t queued_bytes = 0;
  struct Netem {
    std::uint64_t delayed = 0;
    std::uint64_t dropped_by_loss = 0;
    std::uint64_t corrupted = 0;
    std::uint64_t duplicated = 0;
    std::uint64_t reordered = 0;
    bool operator==(const Netem&) const = default;
  };
  std::optional<Netem> netem;
  // Drops that no loss model asked for; must be 0 unless a limit was set. nullopt where the kernel
  // cannot tell.
  std::optional<std::uint64_t> dropped_by_queue() const;
  bool operator==(const QdiscCounters&) const = default;
};

// netem in one direction, as read back.
struct NetemFact {
  OneWaySpec spec;
  // nullopt where the kernel has none (before Linux 6.6): losses cannot be repeated.
  std::optional<base::Seed> seed{};
  QdiscCounters counters;
};

struct NetworkFacts {
  std::map<std::string, std::vector<SysctlFact>> sysctls;  // by namespace
  std::vector<DeviceFact> devices;
  std::optional<NetemFact> to_server;  // nullopt: no netem installed
  std::optional<NetemFact> to_client;
};

// The "network" object of facts.json; units are in the keys (delay_ns, rate_bps).
nlohmann::json to_json(const NetworkFacts& facts);
nlohmann::json to_json(const OneWaySpec& spec);

}  // namespace netns
