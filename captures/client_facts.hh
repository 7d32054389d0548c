#pragma once

// Which client asked, where it was not labquery, and how it fared.

#include "captures/json_fields.hh"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace captures {

// Whose failure a failed query was, as far as another client's words tell.
enum class Fault {
  kNone,
  kClient,   // it refused the server's certificate, was misused, crashed or hung
  kServer,   // it reports what the server or the network did: an alert, a reset, an HTTP status
  kUnknown,  // it does not say
};

// Of queries that another client than labquery asked.
struct ClientFacts {
  std::string program;  // "kdig"
  std::string version;
  std::string ended;  // how its process ended: "exit code 0"
  Fault fault = Fault::kNone;
  bool operator==(const ClientFacts&) const = default;
};

std::string_view to_string(Fault fault);  // "" of kNone

nlohmann::ordered_json to_json(const ClientFacts& client);
// Throws MalformedJson.
ClientFacts read_client_facts(const JsonFields& fields);

}  // namespace captures
