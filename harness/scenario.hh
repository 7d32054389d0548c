#pragma once

// A scenario that is valid by construction: every value typed, every default filled in, every arm
// of `vary` worked out. What each key means and may be: docs/scenarios.md; the defaults are in
// scenario_keys.cc and nowhere else.

#include "base/clock.hh"
#include "base/rng.hh"
#include "base/units.hh"
#include "captures/connection_kind.hh"
#include "harness/gate_rule.hh"
#include "harness/transport_kind.hh"
#include "netns/path_spec.hh"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

enum class Family { kIpv4, kIpv6 };
enum class Retry { kNever, kAlways };
enum class Padding { kNone, kRfc8467 };
enum class HttpMethod { kGet, kPost };
enum class EarlyData { kNone, kAccept, kReject };
using Connection = captures::ConnectionKind;

std::string_view to_string(Family family);       // "ipv4", "ipv6"
std::string_view to_string(Retry retry);         // "never", "always"
std::string_view to_string(Padding padding);     // "none", "rfc8467"
std::string_view to_string(HttpMethod method);   // "GET", "POST"
std::string_view to_string(EarlyData handling);  // "none", "accept", "reject"

// Our own server, which can be all that a scenario says.
inline constexpr std::string_view kLabServer = "labdns";
// Our own client, likewise.
inline constexpr std::string_view kLabClient = "labquery";

struct Question {
  std::string name;  // without the root's dot
  std::string type;  // "A"
  bool operator==(const Question&) const = default;
};

// What labdns is to be in one arm.
struct EndpointSettings {
  std::string server;                     // kLabServer, or a name of endpoints::real_servers()
  base::ByteCount chain_bytes;            // sum of the DER sizes of the certificates sent
  std::string key;                        // "ecdsa-p256"
  std::vector<std::string> key_exchange;  // names as OpenSSL has them, the preferred one first
  std::uint32_t tickets = 0;              // after each full handshake
  EarlyData early_data = EarlyData::kNone;
  Retry retry = Retry::kNever;
  std::vector<std::string> zone;                // "a.lab.test 60 A 192.0.2.1"
  std::optional<base::ByteCount> answer_bytes;  // of the DNS message; none: what the answer needs
  Padding padding = Padding::kRfc8467;
  base::ByteCount udp_limit;  // longest UDP answer; beyond it TC=1
  bool operator==(const EndpointSettings&) const = default;
};

// What the client is to be in one arm.
struct ClientSettings {
  std::string program{kLabClient};  // or a name of clients::client_programs()
  Connection connection = Connection::kCold;
  Question question;
  base::Nanoseconds timeout{};
  base::Nanoseconds initial_rtt{};        // of QUIC, before a sample (RFC 9002 section 6.2.2)
  std::vector<std::string> key_exchange;  // as offered; the first one's share is sent
  HttpMethod method = HttpMethod::kGet;
  Padding padding = Padding::kRfc8467;
  base::ByteCount max_udp_payload;
  bool pmtud = false;
  // How long the wire must be silent after a query before the next one starts.
  base::Nanoseconds drain{};
  bool operator==(const ClientSettings&) const = default;
};

// Everything that may differ between arms.
struct Settings {
  Family family = Family::kIpv4;
  netns::PathSpec path;
  EndpointSettings endpoint;
  ClientSettings client;
  GateSettings gate;
  bool operator==(const Settings&) const = default;
};

// One combination of the varied values. Its name is "" when nothing varies, otherwise
// "retry=always", "retry=always,chain_bytes=3900".
struct Arm {
  std::string name;
  Settings settings;
};

// A claim about one cell: `metric` lies within [low, high]. Times are nanoseconds, rates and counts
// plain numbers, as analysis/expectations.hh has them.
struct Claim {
  std::string cell;
  std::string metric;
  double low = 0;
  double high = 0;
  std::string location;  // "loss2pct.yaml:31:5", for the verdict
  bool operator==(const Claim&) const = default;
};

struct Scenario {
  std::string text;  // the file as it was read
  std::string name;
  std::string summary;
  base::Seed seed = 1;
  std::uint32_t mtu = 1500;
  std::vector<Transport> transports;  // without repetition, at least one
  std::uint32_t queries = 0;          // per cell, at least one
  std::uint32_t blocks = 0;           // 1..queries
  std::vector<Arm> arms;              // at least one; names differ
  std::vector<Claim> claims;
};

// "doq", "retry=always/doq".
std::string cell_name(const Arm& arm, Transport transport);

// What the command line changes in a scenario.
struct Overrides {
  std::vector<std::string> assignments;  // "client.queries=20", in order; the last one counts
  std::optional<std::uint32_t> blocks;   // instead of what block_queries gives
};

// Local ports of one block's queries, of which each has one or two of its own, from 10000 on.
inline constexpr std::uint32_t kMaxBlockPorts = 50000;
// How many it is in this scenario, alike for all queries.
std::uint16_t ports_per_query(const Scenario& scenario);

// Largest scenario file. Beyond it nobody has written a scenario by hand.
inline constexpr std::size_t kMaxScenarioBytes = 1U << 20U;

// Reads and validates; throws ScenarioError (harness/scenario_error.hh) with every mistake at once,
// SystemError where the file cannot be read.
Scenario load_scenario(const std::filesystem::path& path, const Overrides& overrides = {});
// The same for text in memory; `file` names it in messages.
Scenario parse_scenario(std::string_view text, std::string_view file,
                        const Overrides& overrides = {});

}  // namespace harness
