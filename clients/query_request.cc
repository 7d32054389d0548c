#include "clients/query_request.hh"

#include "captures/json_fields.hh"
#include "transport/dns_text.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <limits>

namespace clients {
namespace {

using captures::JsonFields;
using captures::MalformedJson;

constexpr std::array<std::string_view, 23> kKeys{
    "id",         "cell",    "transport",      "block",           "index",  "seed",
    "server",     "port",    "local_port",     "server_name",     "path",   "question",
    "timeout_ns", "groups",  "initial_rtt_ns", "max_udp_payload", "pmtud",  "padding",
    "method",     "ca_file", "connection",     "settle_ns",       "prepare"};

void reject_unknown_keys(const nlohmann::json& object) {
  for (const auto& [key, value] : object.items())
    if (std::ranges::find(kKeys, key) == kKeys.end())
      throw MalformedJson(std::format("{}: unknown key", key));
}

template <typename Value>
void read_into(Value& target, const JsonFields& fields, std::string_view key) {
  if (auto value = fields.find<Value>(key)) target = *std::move(value);
}

// A key whose value is one of a few words.
template <typename Value>
void read_word(Value& target, const JsonFields& fields, std::string_view key,
               std::initializer_list<std::pair<std::string_view, Value>> words) {
  const auto word = fields.find<std::string>(key);
  if (!word) return;
  const auto found = std::ranges::find(words, *word, &std::pair<std::string_view, Value>::first);
  if (found == words.end()) fields.reject(key, std::format("'{}' is no value of it", *word));
  target = found->second;
}

base::Seed read_seed(const nlohmann::json& object, const JsonFields& fields) {
  const auto found = object.find("seed");
  if (found == object.end() || !found->is_string())
    return fields.find<base::Seed>("seed").value_or(0);
  const auto text = found->get<std::string>();
  base::Seed seed = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || rest != text.data() + text.size())
    fields.reject("seed", "not a decimal number of 64 bits");
  return seed;
}

QueryIdentity read_identity(const nlohmann::json& object, const JsonFields& fields) {
  QueryIdentity identity;
  read_into(identity.id, fields, "id");
  read_into(identity.cell, fields, "cell");
  read_into(identity.block, fields, "block");
  read_into(identity.index, fields, "index");
  identity.seed = read_seed(object, fields);
  return identity;
}

transport::DnsQuestion read_question(const JsonFields& fields) {
  const auto question = fields.find_object("question");
  if (!question) fields.reject("question", "missing");
  transport::DnsQuestion result{.name = question->require<std::string>("name")};
  if (!transport::is_domain_name(result.name)) question->reject("name", "not a domain name");
  if (const auto type = question->find<std::string>("type")) {
    const auto known = transport::parse_record_type(*type);
    if (!known) question->reject("type", std::format("'{}' is not a record type", *type));
    result.type = *known;
  }
  return result;
}

void read_target(QuerySpec& spec, const JsonFields& fields) {
  const auto transport = transport_from(fields.require<std::string>("transport"));
  if (!transport) fields.reject("transport", "not a transport");
  spec.transport = *transport;
  const auto port = fields.find<std::uint16_t>("port").value_or(default_port(*transport));
  const auto text = fields.require<std::string>("server");
  const auto server = parse_address(text, port);
  if (!server) fields.reject("server", std::format("'{}' is not an address", text));
  spec.server = *server;
  spec.server_name = text;
  read_into(spec.local_port, fields, "local_port");
  read_into(spec.server_name, fields, "server_name");
  read_into(spec.path, fields, "path");
}

void read_connection(QuerySpec& spec, const JsonFields& fields) {
  if (const auto word = fields.find<std::string>("connection")) {
    const auto connection = captures::parse_connection_kind(*word);
    if (!connection) fields.reject("connection", std::format("'{}' is no value of it", *word));
    spec.connection = *connection;
  }
  if (!can_find(spec.transport, spec.connection))
    fields.reject("connection", std::format("a query over {} cannot be {}",
                                            to_string(spec.transport), to_string(spec.connection)));
  read_into(spec.settle, fields, "settle_ns");
  if (spec.settle < base::Nanoseconds(0) || spec.settle > kMaxTimeout)
    fields.reject("settle_ns", std::format("not from 0 to {}", kMaxTimeout.count()));
}

void read_settings(QuerySpec& spec, const JsonFields& fields) {
  read_into(spec.timeout, fields, "timeout_ns");
  if (spec.timeout <= base::Nanoseconds(0) || spec.timeout > kMaxTimeout)
    fields.reject("timeout_ns", std::format("not above 0 and at most {}", kMaxTimeout.count()));
  read_into(spec.groups, fields, "groups");
  read_into(spec.initial_rtt, fields, "initial_rtt_ns");
  if (spec.initial_rtt <= base::Nanoseconds(0) || spec.initial_rtt > kMaxTimeout)
    fields.reject("initial_rtt_ns", std::format("not above 0 and at most {}", kMaxTimeout.count()));
  read_into(spec.max_udp_payload, fields, "max_udp_payload");
  if (spec.max_udp_payload < kMinUdpPayload)
    fields.reject("max_udp_payload", std::format("below {}", kMinUdpPayload));
  read_into(spec.pmtud, fields, "pmtud");
  read_word(spec.padding, fields, "padding",
            {{"none", Padding::kNone}, {"rfc8467", Padding::kRfc8467}});
  read_word(spec.method, fields, "method",
            {{"GET", HttpMethod::kGet}, {"POST", HttpMethod::kPost}});
  read_connection(spec, fields);
  read_into(spec.ca_file, fields, "ca_file");
  spec.trust = spec.ca_file.empty() ? Trust::kUnchecked : Trust::kFile;
}

}  // namespace

std::expected<QueryRequest, std::string> parse_query_request(std::string_view line) {
  if (line.size() > kMaxRequestLineBytes)
    return std::unexpected(std::format("longer than {} bytes", kMaxRequestLineBytes));
  const auto object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_object()) return std::unexpected("not a JSON object");
  try {
    reject_unknown_keys(object);
    const JsonFields fields(object, "");
    QueryRequest request{.identity = read_identity(object, fields), .spec = {}, .prepare = false};
    read_target(request.spec, fields);
    request.spec.question = read_question(fields);
    read_settings(request.spec, fields);
    read_into(request.prepare, fields, "prepare");
    if (request.prepare && request.spec.connection == Connection::kCold)
      fields.reject("prepare", "a cold query finds nothing");
    if (object.contains("seed")) request.spec.quic_seed = request.identity.seed;
    return request;
  } catch (const MalformedJson& error) {
    return std::unexpected(error.what());
  }
}

}  // namespace clients
