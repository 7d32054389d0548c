#include "harness/plan_json.hh"

#include "base/errors.hh"
#include "captures/json_fields.hh"
#include "harness/gate_json.hh"
#include "harness/path_json.hh"

#include <nlohmann/json.hpp>

#include <charconv>
#include <format>
#include <utility>

namespace harness {
namespace {

using captures::JsonFields;
using nlohmann::ordered_json;

ordered_json to_json(const ClientSettings& client) {
  return {{"program", client.program},
          {"connection", captures::to_string(client.connection)},
          {"question", {{"name", client.question.name}, {"type", client.question.type}}},
          {"timeout_ns", client.timeout.count()},
          {"initial_rtt_ns", client.initial_rtt.count()},
          {"key_exchange", client.key_exchange},
          {"method", to_string(client.method)},
          {"padding", to_string(client.padding)},
          {"max_udp_payload", client.max_udp_payload.bytes},
          {"pmtud", client.pmtud},
          {"drain_ns", client.drain.count()}};
}

ordered_json to_json(const PlannedArm& arm) {
  return {{"name", arm.name},
          {"family", to_string(arm.family)},
          {"client_address", arm.client_address},
          {"server_address", arm.server_address},
          {"rtt_ns", arm.rtt.count()},
          {"path",
           {{"to_server", one_way_to_json(arm.path.to_server)},
            {"to_client", one_way_to_json(arm.path.to_client)}}},
          {"server", arm.server},
          {"server_arguments", arm.server_arguments},
          {"client", to_json(arm.client)},
          {"gate", gate_to_json(arm.gate)}};
}

ordered_json to_json(const PlannedCell& cell) {
  return {{"name", cell.name},
          {"arm", cell.arm},
          {"transport", to_string(cell.transport)},
          {"floor_round_trips", cell.floor_round_trips},
          {"floor_ns", cell.floor.count()}};
}

ordered_json to_json(const PlannedBlock& block) {
  ordered_json queries = ordered_json::array();
  for (const PlannedQuery& query : block.queries) {
    queries.push_back({{"id", query.id},
                       {"cell", query.cell},
                       {"index", query.index},
                       {"seed", std::to_string(query.seed)},
                       {"local_port", query.local_port}});
  }
  return {{"index", block.index},
          {"seed", std::to_string(block.seed)},
          {"queries", std::move(queries)}};
}

ordered_json to_json(const Claim& claim) {
  return {{"cell", claim.cell},
          {"metric", claim.metric},
          {"within", {claim.low, claim.high}},
          {"location", claim.location}};
}

template <typename Item>
ordered_json list(const std::vector<Item>& items) {
  ordered_json json = ordered_json::array();
  for (const Item& item : items) json.push_back(to_json(item));
  return json;
}

base::Seed read_seed(const JsonFields& fields) {
  const auto text = fields.require<std::string>("seed");
  base::Seed seed = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || rest != text.data() + text.size())
    fields.reject("seed", "not a decimal number");
  return seed;
}

// One of two words.
template <typename Value>
Value read_word(const JsonFields& fields, std::string_view key, Value one, Value other) {
  const auto word = fields.require<std::string>(key);
  if (word == to_string(one)) return one;
  if (word != to_string(other)) fields.reject(key, "unknown word");
  return other;
}

JsonFields read_object(const JsonFields& fields, std::string_view key) {
  const auto object = fields.find_object(key);
  if (!object) fields.reject(key, "missing");
  return *object;
}

ClientSettings read_client(const JsonFields& fields) {
  const JsonFields question = read_object(fields, "question");
  ClientSettings client;
  client.program = fields.find<std::string>("program").value_or(std::string(kLabClient));
  if (const auto word = fields.find<std::string>("connection")) {
    const auto kind = captures::parse_connection_kind(*word);
    if (!kind) fields.reject("connection", "unknown word");
    client.connection = *kind;
  }
  client.question = {question.require<std::string>("name"), question.require<std::string>("type")};
  client.timeout = fields.require<base::Nanoseconds>("timeout_ns");
  client.initial_rtt = fields.require<base::Nanoseconds>("initial_rtt_ns");
  client.key_exchange = fields.require<std::vector<std::string>>("key_exchange");
  client.method = read_word(fields, "method", HttpMethod::kGet, HttpMethod::kPost);
  client.padding = read_word(fields, "padding", Padding::kNone, Padding::kRfc8467);
  client.max_udp_payload.bytes = fields.require<std::uint64_t>("max_udp_payload");
  client.pmtud = fields.require<bool>("pmtud");
  client.drain = fields.require<base::Nanoseconds>("drain_ns");
  return client;
}

PlannedArm read_arm(const JsonFields& fields) {
  const JsonFields path = read_object(fields, "path");
  PlannedArm arm;
  arm.name = fields.require<std::string>("name");
  arm.family = read_word(fields, "family", Family::kIpv4, Family::kIpv6);
  arm.client_address = fields.require<std::string>("client_address");
  arm.server_address = fields.require<std::string>("server_address");
  arm.rtt = fields.require<base::Nanoseconds>("rtt_ns");
  arm.path = {one_way_from_json(read_object(path, "to_server")),
              one_way_from_json(read_object(path, "to_client"))};
  arm.server = fields.find<std::string>("server").value_or("labdns");
  arm.server_arguments = fields.require<std::vector<std::string>>("server_arguments");
  arm.client = read_client(read_object(fields, "client"));
  arm.gate = gate_from_json(fields.find_object("gate"));
  return arm;
}

PlannedCell read_cell(const JsonFields& fields, std::size_t arms) {
  PlannedCell cell;
  cell.name = fields.require<std::string>("name");
  cell.arm = fields.require<std::uint32_t>("arm");
  if (cell.arm >= arms) fields.reject("arm", "no such arm");
  const auto transport = parse_transport(fields.require<std::string>("transport"));
  if (!transport) fields.reject("transport", "unknown word");
  cell.transport = *transport;
  cell.floor_round_trips = fields.require<int>("floor_round_trips");
  cell.floor = fields.require<base::Nanoseconds>("floor_ns");
  return cell;
}

PlannedBlock read_block(const JsonFields& fields, std::size_t cells) {
  PlannedBlock block;
  block.index = fields.require<std::uint32_t>("index");
  block.seed = read_seed(fields);
  for (const JsonFields& item : fields.objects("queries")) {
    PlannedQuery query;
    query.id = item.require<std::string>("id");
    query.cell = item.require<std::uint32_t>("cell");
    if (query.cell >= cells) item.reject("cell", "no such cell");
    query.index = item.require<std::uint32_t>("index");
    query.seed = read_seed(item);
    query.local_port = item.require<std::uint16_t>("local_port");
    block.queries.push_back(std::move(query));
  }
  return block;
}

Claim read_claim(const JsonFields& fields) {
  const auto within = fields.require<std::vector<double>>("within");
  if (within.size() != 2) fields.reject("within", "not two numbers");
  return {.cell = fields.require<std::string>("cell"),
          .metric = fields.require<std::string>("metric"),
          .low = within[0],
          .high = within[1],
          .location = fields.require<std::string>("location")};
}

Plan read_plan(const JsonFields& fields) {
  if (fields.require<int>("format") != kPlanFormat) fields.reject("format", "of another version");
  Plan plan;
  plan.scenario = fields.require<std::string>("scenario");
  plan.summary = fields.require<std::string>("summary");
  plan.seed = read_seed(fields);
  plan.mtu = fields.require<std::uint32_t>("mtu");
  plan.client_addresses = fields.require<std::vector<std::string>>("client_addresses");
  for (const JsonFields& arm : fields.objects("arms")) plan.arms.push_back(read_arm(arm));
  for (const JsonFields& cell : fields.objects("cells"))
    plan.cells.push_back(read_cell(cell, plan.arms.size()));
  for (const JsonFields& block : fields.objects("blocks"))
    plan.blocks.push_back(read_block(block, plan.cells.size()));
  for (const JsonFields& claim : fields.objects("expect")) plan.claims.push_back(read_claim(claim));
  return plan;
}

}  // namespace

std::string plan_to_json(const Plan& plan) {
  const ordered_json json{{"format", kPlanFormat},
                          {"scenario", plan.scenario},
                          {"summary", plan.summary},
                          {"seed", std::to_string(plan.seed)},
                          {"mtu", plan.mtu},
                          {"client_addresses", plan.client_addresses},
                          {"arms", list(plan.arms)},
                          {"cells", list(plan.cells)},
                          {"blocks", list(plan.blocks)},
                          {"expect", list(plan.claims)}};
  return json.dump(1) + '\n';
}

Plan plan_from_json(std::string_view text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    return read_plan(JsonFields(json, ""));
  } catch (const captures::MalformedJson& error) {
    throw base::LabError(std::format("plan.json: {}", error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw base::LabError(std::format("plan.json: {}", error.what()));
  }
}

}  // namespace harness
