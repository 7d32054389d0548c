#include "harness/arm_network.hh"

#include "harness/client_checks.hh"

#include <algorithm>
#include <format>

namespace harness {
namespace {

// Documentation prefixes (RFC 5737, RFC 3849): a packet that leaves the lab by mistake reaches
// nobody. The last byte is the port of DNS, for the reader of captures.
std::string client_address(Family family) {
  return family == Family::kIpv4 ? "198.51.100.1" : "2001:db8:53::1";
}

std::string server_address(Family family, std::uint32_t ordinal) {
  return family == Family::kIpv4 ? std::format("198.51.100.{}", 53 + ordinal)
                                 : std::format("2001:db8:53::{:x}", 0x53 + ordinal);
}

std::string join(const auto& names, char separator) {
  std::string text;
  for (const auto& name : names) {
    if (!text.empty()) text += separator;
    text += name;
  }
  return text;
}

std::vector<std::string> server_arguments(const Settings& settings, const std::string& address,
                                          std::span<const Transport> transports) {
  const EndpointSettings& endpoint = settings.endpoint;
  std::vector<std::string_view> names;
  for (const Transport transport : transports) names.push_back(to_string(transport));
  std::vector<std::string> arguments{"--address",     address,
                                     "--transports",  join(names, ','),
                                     "--port-quic",   std::to_string(facts(Transport::kDoq).port),
                                     "--server-name", std::string(kServerName),
                                     "--chain-bytes", std::to_string(endpoint.chain_bytes.bytes),
                                     "--key",         endpoint.key,
                                     "--groups",      join(endpoint.key_exchange, ':'),
                                     "--tickets",     std::to_string(endpoint.tickets),
                                     "--early-data",  std::string(to_string(endpoint.early_data)),
                                     "--retry",       std::string(to_string(endpoint.retry)),
                                     "--padding",     std::string(to_string(endpoint.padding)),
                                     "--udp-limit",   std::to_string(endpoint.udp_limit.bytes)};
  if (endpoint.answer_bytes)
    arguments.insert(arguments.end(),
                     {"--answer-bytes", std::to_string(endpoint.answer_bytes->bytes)});
  for (const std::string& record : endpoint.zone)
    arguments.insert(arguments.end(), {"--record", record});
  return arguments;
}

}  // namespace

Connection connection_of(Connection wanted, Transport transport) {
  return transport == Transport::kDo53 ? Connection::kCold : wanted;
}

PlannedArm plan_arm(const Arm& arm, std::uint32_t ordinal, std::span<const Transport> transports) {
  const Settings& settings = arm.settings;
  PlannedArm planned;
  planned.name = arm.name;
  planned.client_address = client_address(settings.family);
  planned.server_address = server_address(settings.family, ordinal);
  planned.family = settings.family;
  planned.path = settings.path;
  planned.rtt = settings.path.to_server.delay + settings.path.to_client.delay;
  planned.server = settings.endpoint.server;
  planned.server_arguments = server_arguments(settings, planned.server_address, transports);
  planned.client = settings.client;
  planned.gate = settings.gate;
  return planned;
}

int floor_round_trips(const Settings& settings, Transport transport) {
  const TransportFacts& kind = facts(transport);
  const EndpointSettings& endpoint = settings.endpoint;
  const Connection connection = connection_of(settings.client.connection, transport);
  // The query only. What moves a connection does not wait for the new path's validation.
  if (captures::is_open(connection)) return 1;
  int round_trips = kind.cold_round_trips;
  // RFC 9000 section 8.1.2.
  if (kind.quic && endpoint.retry == Retry::kAlways) ++round_trips;
  // The client sends shares for its first groups only, labquery for one; another choice of the
  // server costs a HelloRetryRequest (RFC 8446 section 4.1.4).
  const bool hello_retry =
      std::ranges::none_of(shared_groups(settings.client), [&](const std::string& group) {
        return std::ranges::contains(endpoint.key_exchange, group);
      });
  if (kind.encrypted && hello_retry) ++round_trips;
  // RFC 8446 section 2.3: early data is not kept waiting by the handshake; but a HelloRetryRequest
  // refuses it (section 4.2.10).
  if (connection == Connection::kEarlyData && endpoint.early_data == EarlyData::kAccept &&
      !hello_retry)
    --round_trips;
  // What labquery advertises in EDNS; a longer answer comes truncated and is asked for again over
  // TCP, which costs a handshake and a query (RFC 7766).
  constexpr std::uint64_t kEdnsSize = 1232;
  const std::uint64_t udp_limit = std::min(kEdnsSize, endpoint.udp_limit.bytes);
  const bool truncated = endpoint.answer_bytes && endpoint.answer_bytes->bytes > udp_limit;
  if (transport == Transport::kDo53 && truncated) round_trips += 2;
  return round_trips;
}

}  // namespace harness
