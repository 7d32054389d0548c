#pragma once

// Everything a run will do, decided before anything is touched: addresses, arguments, seeds, ports
// and the order of the queries. A pure function of scenario and selection, so two machines plan the
// same; plan.json holds it, and the lab kernel's side works from that file alone.

#include "base/clock.hh"
#include "base/rng.hh"
#include "base/units.hh"
#include "harness/scenario.hh"
#include "netns/path_spec.hh"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

inline constexpr std::string_view kServerName = "dns.lab.test";
inline constexpr std::string_view kDohPath = "/dns-query";
// Queries of a block use consecutive local ports from here, so that each flow belongs to one query.
inline constexpr std::uint16_t kFirstLocalPort = 10000;

// One server with its path, and what the client is to be when it asks there.
struct PlannedArm {
  std::string name;            // "" when nothing varies
  std::string client_address;  // of the arm's family
  std::string server_address;  // the arm's own
  Family family = Family::kIpv4;
  netns::PathSpec path;
  base::Nanoseconds rtt{};        // both one-way delays, without jitter
  std::string server = "labdns";  // or a name of endpoints::real_servers()
  // What it is to be, in arguments of labdns, without the program's path and without what the run
  // itself adds (descriptors, files).
  std::vector<std::string> server_arguments;
  ClientSettings client;
  GateSettings gate;
  bool operator==(const PlannedArm&) const = default;
};

// One arm x one transport: a row of the table.
struct PlannedCell {
  std::string name;       // "doq", "retry=always/doq"
  std::uint32_t arm = 0;  // in Plan::arms
  Transport transport = Transport::kDo53;
  int floor_round_trips = 0;  // fewest for a lossless query with these settings
  base::Nanoseconds floor{};  // the same in time, on this arm's path
  bool operator==(const PlannedCell&) const = default;
};

struct PlannedQuery {
  std::string id;           // "doq:117", "retry=always/doq:117"
  std::uint32_t cell = 0;   // in Plan::cells
  std::uint32_t index = 0;  // within the cell, over all blocks
  base::Seed seed = 0;
  std::uint16_t local_port = 0;  // the first of ports_per_query()
  bool operator==(const PlannedQuery&) const = default;
};

// What one boot of a kernel does. Its name in files is block_name().
struct PlannedBlock {
  std::uint32_t index = 0;
  base::Seed seed = 0;
  std::vector<PlannedQuery> queries;  // in the order in which they are asked
  bool operator==(const PlannedBlock&) const = default;
};

struct Plan {
  std::string scenario;  // its name
  std::string summary;
  base::Seed seed = 0;
  std::uint32_t mtu = 1500;
  std::vector<std::string> client_addresses;  // of the families that the arms use
  std::vector<PlannedArm> arms;
  std::vector<PlannedCell> cells;
  std::vector<PlannedBlock> blocks;
  std::vector<Claim> claims;  // about cells of this plan only
  bool operator==(const Plan&) const = default;
};

// `only` names cells, transports or arms; empty means all. What is left keeps its names, addresses,
// ports and seeds. Throws BadInput for a name that selects nothing.
Plan make_plan(const Scenario& scenario, std::span<const std::string> only = {});

// What netem is seeded with before this query, so that it can be repeated alone.
netns::PathSeeds path_seeds(const PlannedQuery& query);

std::string block_name(std::uint32_t index);  // "0", "12": captures/12-client.pcapng

// A query that is not cold is asked for in two steps.
enum class Step { kPrepare, kMeasure };

// The line that asks labquery --batch for this query, line feed included.
std::string request_line(const Plan& plan, const PlannedBlock& block, const PlannedQuery& query,
                         const std::optional<std::string>& ca_file, Step step);

}  // namespace harness
