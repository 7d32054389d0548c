#include "captures/client_facts.hh"

#include <array>
#include <utility>

namespace captures {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<Fault, std::string_view>, 3> kFaults{
    {{Fault::kClient, "client"}, {Fault::kServer, "server"}, {Fault::kUnknown, "unknown"}}};

Fault read_fault(const JsonFields& fields) {
  const auto name = fields.find<std::string>("fault");
  if (!name) return Fault::kNone;
  for (const auto& [fault, known] : kFaults)
    if (*name == known) return fault;
  fields.reject("fault", "neither client, server nor unknown");
}

}  // namespace

std::string_view to_string(Fault fault) {
  for (const auto& [known, name] : kFaults)
    if (fault == known) return name;
  return "";
}

Json to_json(const ClientFacts& client) {
  Json json{{"program", client.program}, {"version", client.version}, {"ended", client.ended}};
  json["fault"] = client.fault == Fault::kNone ? Json(nullptr) : Json(to_string(client.fault));
  return json;
}

ClientFacts read_client_facts(const JsonFields& fields) {
  return {.program = fields.require<std::string>("program"),
          .version = fields.require<std::string>("version"),
          .ended = fields.require<std::string>("ended"),
          .fault = read_fault(fields)};
}

}  // namespace captures
