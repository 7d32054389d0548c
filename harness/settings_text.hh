#pragma once

// The keys of an arm as a scenario writes them.

#include "harness/scenario.hh"

#include <string>
#include <string_view>
#include <vector>

namespace harness {

struct WrittenKey {
  std::string name;   // "endpoint.certificate.chain_bytes"
  std::string value;  // in YAML's flow style
  bool operator==(const WrittenKey&) const = default;
};

// Those of path, endpoint, client and gate that differ between arms, in the order of the file;
// where both directions of the path are alike, they are each_way's. `endpoint` and `client` are
// given by all keys, defaults included.
std::vector<WrittenKey> path_keys_of(const Settings& settings, const Settings& defaults);
std::vector<WrittenKey> endpoint_keys_of(const EndpointSettings& endpoint);
std::vector<WrittenKey> client_keys_of(const Settings& settings);

// One rule of a gate: "drop: { from: client, ordinal: 3 }".
std::string rule_text(const GateRule& rule);

// A text as YAML has it: in quotes unless no reader could take it for something else.
std::string yaml_text(std::string_view text);

}  // namespace harness
