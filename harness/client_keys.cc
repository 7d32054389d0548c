#include "clients/client_program.hh"
#include "harness/scenario_keys.hh"
#include "harness/spelling.hh"
#include "harness/zone_record.hh"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace harness {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

void read_transports(const RawNode& node, ValueReader& reader, Draft& draft) {
  std::vector<Transport>& transports = draft.scenario.transports;
  transports.clear();
  reader.each(node, [&](const RawNode& item) {
    const auto name = reader.text(item);
    if (!name) return;
    const auto transport = parse_transport(*name);
    if (!transport) return reader.reject(item);
    if (std::ranges::contains(transports, *transport)) return reader.reject(item, "named twice");
    transports.push_back(*transport);
  });
}

void read_program(const RawNode& node, ValueReader& reader, Draft& draft) {
  const auto name = reader.text(node);
  if (!name) return;
  if (*name != kLabClient && clients::find_client_program(*name) == nullptr)
    return reader.reject(node);
  draft.settings.client.program = *name;
}

std::string program_names() {
  std::vector<std::string_view> names{kLabClient};
  for (const clients::ClientProgram& program : clients::client_programs())
    names.push_back(program.name);
  return join_alternatives(names);
}

void read_question(const RawNode& node, ValueReader& reader, Draft& draft) {
  const auto text = reader.text(node);
  if (!text) return;
  if (const auto question = parse_question(*text)) {
    draft.settings.client.question = *question;
  } else {
    reader.reject(node);
  }
}

void read_method(const RawNode& node, ValueReader& reader, Draft& draft) {
  static constexpr std::array<std::pair<std::string_view, HttpMethod>, 2> kNames{
      {{"GET", HttpMethod::kGet}, {"POST", HttpMethod::kPost}}};
  reader.choice<HttpMethod>(node, kNames, draft.settings.client.method);
}

void read_connection(const RawNode& node, ValueReader& reader, Draft& draft) {
  static const auto kNames = [] {
    std::array<std::pair<std::string_view, Connection>, captures::kConnectionKinds.size()> names;
    std::ranges::transform(captures::kConnectionKinds, names.begin(), [](Connection kind) {
      return std::pair(captures::to_string(kind), kind);
    });
    return names;
  }();
  reader.choice<Connection>(node, kNames, draft.settings.client.connection);
}

// One duration of the client.
Key duration_key(std::string name, std::string fallback, std::string allowed, base::Nanoseconds low,
                 base::Nanoseconds high, base::Nanoseconds ClientSettings::* into) {
  return {.name = std::move(name),
          .fallback = std::move(fallback),
          .allowed = std::move(allowed),
          .read = [=](const RawNode& node, ValueReader& reader, Draft& draft) {
            reader.duration(node, low, high, draft.settings.client.*into);
          }};
}

std::vector<Key> quic_and_http_keys() {
  return {
      {.name = "client.method", .fallback = "GET", .allowed = "GET or POST", .read = read_method},
      {.name = "client.padding",
       .fallback = "rfc8467",
       .allowed = "rfc8467 or none",
       .read = [](const RawNode& node, ValueReader& reader,
                  Draft& draft) { read_padding(node, reader, draft.settings.client.padding); }},
      // RFC 9000 section 14: no QUIC path carries less than 1200.
      {.name = "client.max_udp_payload",
       .fallback = "1200",
       .allowed = "bytes from 1200 to what fits the MTU",
       .read =
           [](const RawNode& node, ValueReader& reader, Draft& draft) {
             reader.bytes(node, 1200, 65527, draft.settings.client.max_udp_payload);
           }},
      {.name = "client.pmtud",
       .fallback = "false",
       .allowed = "true or false",
       .read = [](const RawNode& node, ValueReader& reader,
                  Draft& draft) { reader.boolean(node, draft.settings.client.pmtud); }},
  };
}

}  // namespace

void read_padding(const RawNode& node, ValueReader& reader, Padding& into) {
  static constexpr std::array<std::pair<std::string_view, Padding>, 2> kNames{
      {{"rfc8467", Padding::kRfc8467}, {"none", Padding::kNone}}};
  reader.choice<Padding>(node, kNames, into);
}

std::vector<Key> client_keys() {
  using enum Key::Presence;
  std::vector<Key> keys{
      {"client.transports", "", "a list of do53, dot, doh2, doh3 or doq", kRequired,
       "every transport is a cell of its own already", read_transports},
      {.name = "client.program",
       .fallback = "labquery",
       .allowed = program_names(),
       .read = read_program},
      {.name = "client.connection",
       .fallback = "cold",
       .allowed = "cold, warm, resumed, early-data, migrated or rebound",
       .read = read_connection},
      {.name = "client.question",
       .fallback = "a.lab.test A",
       .allowed = "a name and a type (A, AAAA, TXT, CNAME, NS or SOA), such as \"a.lab.test A\"",
       .read = read_question},
      {"client.queries", "", "a whole number from 1 to 1000000: queries per cell", kRequired,
       "cells of one size can be compared block by block",
       [](const RawNode& node, ValueReader& reader, Draft& draft) {
         reader.number(node, 1U, 1000000U, draft.scenario.queries);
       }},
      duration_key("client.timeout", "10s", "a duration from 1ms to 600s", milliseconds(1),
                   seconds(600), &ClientSettings::timeout),
      duration_key("client.initial_rtt", "333ms", "a duration from 1ms to 10s", milliseconds(1),
                   seconds(10), &ClientSettings::initial_rtt),
      {.name = "client.key_exchange",
       .fallback = "",
       .allowed = std::string(kGroupsAllowed),
       .read =
           [](const RawNode& node, ValueReader& reader, Draft& draft) {
             read_key_exchange(node, reader, draft.settings.client.key_exchange);
           }},
      duration_key("client.drain", "1s", "a duration from 0ms to 60s", milliseconds(0), seconds(60),
                   &ClientSettings::drain),
  };
  const std::vector<Key> others = quic_and_http_keys();
  keys.insert(keys.end(), others.begin(), others.end());
  return keys;
}

}  // namespace harness
