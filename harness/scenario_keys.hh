#pragma once

// Every key of a scenario in one table: name, default, what is allowed, whether arms may vary it,
// and how its value is read. Parser, messages, JSON Schema test and documentation test go by it.

#include "harness/scenario.hh"
#include "harness/value_reader.hh"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

// A scenario while its keys are read. `scenario.arms`, `.blocks` and `.claims` come later.
struct Draft {
  Scenario scenario;
  std::uint32_t block_queries = 0;
  Settings settings;
};

struct Key {
  std::string name;  // "endpoint.certificate.chain_bytes"
  // As it would be written in the file. Empty: no default.
  std::string fallback;
  std::string allowed;
  enum class Presence { kOptional, kRequired } presence = Presence::kOptional;
  // Why arms cannot differ in it; empty when they can.
  std::string fixed_because = {};
  std::function<void(const RawNode&, ValueReader&, Draft&)> read;
  // What an arm is called for this value; empty where value_name() says it.
  std::function<std::string(const RawNode&)> name_value = {};
};

// In the order in which values are read: a direction's own value replaces the one for both ways.
std::span<const Key> scenario_keys();
const Key* find_key(std::string_view name);
// "path", "path.each_way", ...: the mappings that hold keys.
std::span<const std::string> key_groups();

// The parts of the table, by the file's sections.
std::vector<Key> general_keys();
std::vector<Key> path_keys();
std::vector<Key> endpoint_keys();
std::vector<Key> client_keys();
std::vector<Key> gate_keys();

// Names of key-exchange groups, as OpenSSL has them.
inline constexpr std::string_view kGroupsAllowed =
    "a list of X25519MLKEM768, SecP256r1MLKEM768, SecP384r1MLKEM1024, X25519, X448, P-256, P-384 "
    "or "
    "P-521";
// Readers that two sections share.
void read_key_exchange(const RawNode& node, ValueReader& reader, std::vector<std::string>& into);
void read_padding(const RawNode& node, ValueReader& reader, Padding& into);

}  // namespace harness
