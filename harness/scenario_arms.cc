#include "harness/scenario_arms.hh"

#include "harness/arm_checks.hh"
#include "harness/client_checks.hh"
#include "harness/server_checks.hh"

#include <algorithm>
#include <format>
#include <utility>

namespace harness {
namespace {

// Two varied keys may end in the same word (path.client_to_server.loss,
// path.server_to_client.loss); then as many parts of each are shown as tell them apart.
std::string short_key(const std::string& key, const std::vector<Assignment>& varied) {
  std::size_t start = key.rfind('.');
  while (start != std::string::npos) {
    const std::string_view tail = std::string_view(key).substr(start);
    const auto same = std::ranges::count_if(
        varied, [&](const Assignment& other) { return other.key.ends_with(tail); });
    if (same <= 1) return key.substr(start + 1);
    start = start == 0 ? std::string::npos : key.rfind('.', start - 1);
  }
  return key;
}

// Reads all keys, `chosen` instead of what the file sets.
Draft read_keys(const Assignments& assignments, const std::vector<Assignment>& chosen,
                std::vector<Mistake>& mistakes) {
  Draft draft;
  for (const Key& key : scenario_keys()) {
    const Assignment* set = find_assignment(chosen, key.name);
    if (set == nullptr) set = find_assignment(assignments.values, key.name);
    ValueReader reader(key.name, key.allowed, mistakes);
    // A default first, so that a rejected value leaves something sensible for the other checks.
    if (!key.fallback.empty())
      key.read(parse_yaml(key.fallback, key.name, mistakes), reader, draft);
    if (set != nullptr) key.read(set->value, reader, draft);
  }
  EndpointSettings& endpoint = draft.settings.endpoint;
  if (endpoint.key_exchange.empty()) endpoint.key_exchange = usual_groups(endpoint.server);
  ClientSettings& client = draft.settings.client;
  if (client.key_exchange.empty())
    client.key_exchange = usual_client_groups(client.program, endpoint.key_exchange);
  return draft;
}

// A value that every arm replaces would mislead its reader.
void check_not_set_twice(const Assignments& assignments, std::vector<Mistake>& mistakes) {
  for (const Assignment& varied : assignments.varied) {
    const Assignment* set = find_assignment(assignments.values, varied.key);
    if (set == nullptr) continue;
    mistakes.push_back(
        {set->where, std::format("{}: is varied ({}), so this value would never be used",
                                 varied.key, to_string(varied.where))});
  }
}

// The `number`-th combination, the last key changing fastest.
std::vector<Assignment> combination(const std::vector<Assignment>& varied, std::size_t number) {
  std::vector<Assignment> chosen;
  for (auto key = varied.rbegin(); key != varied.rend(); ++key) {
    const std::size_t values = key->value.items.size();
    const RawNode& value = key->value.items[number % values];
    chosen.insert(chosen.begin(), {key->key, value.where, value});
    number /= values;
  }
  return chosen;
}

std::string arm_name(const std::vector<Assignment>& chosen) {
  std::string name;
  for (const Assignment& one : chosen) {
    if (!name.empty()) name += ',';
    const Key* key = find_key(one.key);
    name += std::format("{}={}", short_key(one.key, chosen),
                        key->name_value ? key->name_value(one.value) : value_name(one.value));
  }
  return name;
}

}  // namespace

std::string value_name(const RawNode& value) {
  switch (value.kind) {
    case RawNode::Kind::kNull:
      return "none";
    case RawNode::Kind::kText:
      return value.text;
    case RawNode::Kind::kList: {
      std::string name;
      for (const RawNode& item : value.items) name += (name.empty() ? "" : "+") + value_name(item);
      return name;
    }
    case RawNode::Kind::kMapping: {
      std::string name;
      for (const RawEntry& entry : value.entries)
        name += (name.empty() ? "" : "+") + value_name(entry.value);
      return name;
    }
  }
  return {};
}

Draft read_common(const Assignments& assignments, std::vector<Mistake>& mistakes) {
  return read_keys(assignments, {}, mistakes);
}

std::vector<Arm> make_arms(const Assignments& assignments, std::string_view file,
                           const Scenario& scenario, std::vector<Mistake>& mistakes) {
  check_not_set_twice(assignments, mistakes);
  std::size_t count = 1;
  for (const Assignment& varied : assignments.varied) {
    count *= varied.value.items.size();
    if (count <= kMaxArms) continue;
    mistakes.push_back({varied.where, std::format("vary: more than {} arms: {} multiplies them",
                                                  kMaxArms, varied.key)});
    return {};
  }
  std::vector<Arm> arms;
  for (std::size_t number = 0; number < count; ++number) {
    const std::vector<Assignment> chosen = combination(assignments.varied, number);
    Arm arm{arm_name(chosen), read_keys(assignments, chosen, mistakes).settings};
    check_arm({arm, scenario, assignments, chosen, file}, mistakes);
    if (std::ranges::contains(arms, arm.name, &Arm::name)) {
      mistakes.push_back(
          {chosen.back().where, std::format("vary: {} occurs twice among the arms", arm.name)});
    }
    arms.push_back(std::move(arm));
  }
  return arms;
}

}  // namespace harness
