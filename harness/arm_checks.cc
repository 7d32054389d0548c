#include "harness/arm_checks.hh"

#include "harness/client_checks.hh"
#include "harness/gate_checks.hh"
#include "harness/gate_reader.hh"
#include "harness/server_checks.hh"
#include "harness/spelling.hh"
#include "netns/path_spec.hh"

#include <algorithm>
#include <format>
#include <string>

namespace harness {
namespace {

// Where the first of `keys` that is set stands; the file as a whole when none is.
Location place_of(const ArmInContext& context, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const Assignment* set = find_assignment(context.chosen, key);
    if (set == nullptr) set = find_assignment(context.assignments.values, key);
    if (set != nullptr) return set->value.where;
  }
  return {std::string(context.file)};
}

void check_direction(const ArmInContext& context, std::string_view direction,
                     const netns::OneWaySpec& spec, std::vector<Mistake>& mistakes) {
  for (const netns::SpecProblem& problem : netns::problems_of(spec)) {
    const std::string own = std::format("path.{}.{}", direction, problem.field);
    const std::string shared = std::format("path.each_way.{}", problem.field);
    const bool is_own = find_assignment(context.chosen, own) != nullptr ||
                        find_assignment(context.assignments.values, own) != nullptr;
    mistakes.push_back({place_of(context, {own, shared}),
                        std::format("{}: {}", is_own ? own : shared, problem.text)});
  }
}

void check_datagram_size(const ArmInContext& context, std::vector<Mistake>& mistakes) {
  // IP and UDP headers (RFC 791, RFC 8200, RFC 768).
  const Settings& settings = context.arm.settings;
  const std::uint32_t headers = settings.family == Family::kIpv4 ? 28 : 48;
  const std::uint64_t payload = settings.client.max_udp_payload.bytes;
  if (payload + headers <= context.scenario.mtu) return;
  mistakes.push_back(
      {place_of(context, {"client.max_udp_payload", "path.mtu"}),
       std::format("client.max_udp_payload: {} bytes and {} bytes of {} and UDP headers exceed the "
                   "MTU of {}",
                   payload, headers, settings.family == Family::kIpv4 ? "IPv4" : "IPv6",
                   context.scenario.mtu)});
}

void check_key_exchange(const ArmInContext& context, std::vector<Mistake>& mistakes) {
  const bool encrypted = std::ranges::any_of(
      context.scenario.transports, [](Transport transport) { return facts(transport).encrypted; });
  const std::vector<std::string>& server = context.arm.settings.endpoint.key_exchange;
  const bool agree = std::ranges::any_of(
      context.arm.settings.client.key_exchange,
      [&](const std::string& group) { return std::ranges::contains(server, group); });
  // A group that was rejected leaves a list empty; that is a mistake of its own.
  if (!encrypted || agree || server.empty()) return;
  const std::vector<std::string_view> names(server.begin(), server.end());
  mistakes.push_back(
      {place_of(context, {"client.key_exchange", "endpoint.key_exchange"}),
       std::format("client.key_exchange: the server has none of these groups, only {}",
                   join_alternatives(names))});
}

void check_connection(const ArmInContext& context, std::vector<Mistake>& mistakes) {
  const Connection wanted = context.arm.settings.client.connection;
  const EndpointSettings& endpoint = context.arm.settings.endpoint;
  const std::string_view word = captures::to_string(wanted);
  const auto reject = [&](std::string_view key, std::string text) {
    mistakes.push_back({place_of(context, {"client.connection", key}),
                        std::format("client.connection: {}", std::move(text))});
  };
  const bool encrypted = std::ranges::any_of(
      context.scenario.transports, [](Transport transport) { return facts(transport).encrypted; });
  if (!encrypted) return;
  if (captures::has_ticket(wanted) && endpoint.tickets == 0)
    return reject("endpoint.tickets",
                  std::format("{} needs a session ticket; endpoint.tickets is 0", word));
  if (wanted == Connection::kEarlyData && endpoint.early_data == EarlyData::kNone)
    return reject("endpoint.early_data",
                  "early-data needs tickets that allow it; endpoint.early_data is none");
  for (const Transport transport : context.scenario.transports) {
    const TransportFacts& kind = facts(transport);
    if (captures::moves(wanted) && kind.encrypted && !kind.quic)
      return reject(
          "client.transports",
          std::format("{} is for QUIC; a connection of {} ends with its port", word, kind.name));
  }
}

void check_server(const ArmInContext& context, std::vector<Mistake>& mistakes) {
  for (const ServerProblem& problem :
       problems_of(context.arm.settings.endpoint, context.scenario.transports))
    mistakes.push_back({place_of(context, {problem.key, "endpoint.server"}), problem.text});
}

void check_client(const ArmInContext& context, std::vector<Mistake>& mistakes) {
  for (const ClientProblem& problem :
       problems_of(context.arm.settings.client, context.scenario.transports))
    mistakes.push_back({place_of(context, {problem.key, "client.program"}), problem.text});
}

void check_tickets(const ArmInContext& context, std::vector<Mistake>& mistakes) {
  const EndpointSettings& endpoint = context.arm.settings.endpoint;
  if (endpoint.early_data == EarlyData::kNone || endpoint.tickets > 0) return;
  mistakes.push_back({place_of(context, {"endpoint.early_data", "endpoint.tickets"}),
                      std::format("endpoint.early_data: {} is for sessions that tickets resume; "
                                  "endpoint.tickets is 0",
                                  to_string(endpoint.early_data))});
}

// Rules are read once more for their places, those with mistakes being left out.
void check_gate(const ArmInContext& context, std::vector<Mistake>& mistakes) {
  const Assignment* set = find_assignment(context.chosen, "gate");
  if (set == nullptr) set = find_assignment(context.assignments.values, "gate");
  if (set == nullptr) return;
  std::vector<Mistake> known;
  ValueReader reader("gate", "", known);
  for (const auto& [rule, where] : read_gate_rules(set->value, reader)) {
    if (const auto why =
            why_no_match(rule, context.scenario.transports, context.arm.settings.client.connection))
      mistakes.push_back({where, std::format("gate.{}: {}", to_string(rule.verdict), *why)});
  }
}

}  // namespace

void check_arm(const ArmInContext& context, std::vector<Mistake>& mistakes) {
  // A rejected value has a mistake of its own; what follows from its replacement is noise.
  const auto sound = [&](std::string_view prefix) {
    return std::ranges::none_of(
        mistakes, [&](const Mistake& mistake) { return mistake.text.starts_with(prefix); });
  };
  const netns::PathSpec& path = context.arm.settings.path;
  const bool path_is_sound = sound("path.");
  if (path_is_sound) {
    check_direction(context, "client_to_server", path.to_server, mistakes);
    check_direction(context, "server_to_client", path.to_client, mistakes);
  }
  if (path_is_sound && sound("client.max_udp_payload")) check_datagram_size(context, mistakes);
  if (sound("client.key_exchange") && sound("endpoint.key_exchange"))
    check_key_exchange(context, mistakes);
  if (sound("endpoint.") && sound("client.transports")) check_server(context, mistakes);
  if (sound("client.")) check_client(context, mistakes);
  const bool tickets_are_sound = sound("endpoint.tickets") && sound("endpoint.early_data");
  if (tickets_are_sound) check_tickets(context, mistakes);
  if (tickets_are_sound && sound("client.connection") && sound("client.transports"))
    check_connection(context, mistakes);
  if (sound("client.connection") && sound("client.transports")) check_gate(context, mistakes);
}

}  // namespace harness
