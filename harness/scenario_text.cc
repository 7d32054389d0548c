#include "harness/scenario_text.hh"

#include "analysis/expectations.hh"
#include "base/errors.hh"
#include "base/text.hh"
#include "base/units.hh"
#include "harness/settings_text.hh"

#include <algorithm>
#include <cmath>
#include <format>
#include <ranges>
#include <utility>
#include <vector>

namespace harness {
namespace {

// What every key is when nobody sets it; the parser knows.
const Scenario& default_scenario() {
  static const Scenario scenario =
      parse_scenario("name: x\nclient: { transports: doq, queries: 1 }\n", "defaults");
  return scenario;
}

std::string transports_of(const Scenario& scenario) {
  std::vector<std::string> names;
  names.reserve(scenario.transports.size());
  for (const Transport transport : scenario.transports) names.emplace_back(to_string(transport));
  return std::format("[{}]", base::joined(names, ", "));
}

// All keys below path, endpoint and client, without defaults.
std::vector<WrittenKey> keys_of(const Scenario& scenario) {
  const Settings& settings = scenario.arms.front().settings;
  const Settings& defaults = default_scenario().arms.front().settings;
  std::vector<WrittenKey> keys;
  if (scenario.mtu != default_scenario().mtu)
    keys.push_back({"path.mtu", std::to_string(scenario.mtu)});
  std::ranges::move(path_keys_of(settings, defaults), std::back_inserter(keys));
  const auto add = [&](const std::vector<WrittenKey>& found, const std::vector<WrittenKey>& usual) {
    for (const WrittenKey& key : found)
      if (!std::ranges::contains(usual, key)) keys.push_back(key);
  };
  add(endpoint_keys_of(settings.endpoint), endpoint_keys_of(defaults.endpoint));
  keys.push_back({"client.transports", transports_of(scenario)});
  keys.push_back({"client.queries", std::to_string(scenario.queries)});
  add(client_keys_of(settings), client_keys_of(defaults));
  return keys;
}

// The part of a dotted name that stands at this depth.
std::string_view part_of(std::string_view name, std::size_t depth) {
  for (; depth > 0; --depth) name.remove_prefix(name.find('.') + 1);
  return name.substr(0, name.find('.'));
}

// Neighbours with the same part share a mapping; sections are written in lines, what they hold in
// one line each.
std::string sections_of(const std::vector<WrittenKey>& keys) {
  std::string text;
  const auto same = [](std::size_t depth) {
    return [depth](const WrittenKey& one, const WrittenKey& other) {
      return part_of(one.name, depth) == part_of(other.name, depth);
    };
  };
  for (const auto section : keys | std::views::chunk_by(same(0))) {
    text += std::format("{}:\n", part_of(section.front().name, 0));
    for (const auto group : section | std::views::chunk_by(same(1))) {
      const std::string_view name = part_of(group.front().name, 1);
      if (group.front().name.ends_with(std::format(".{}", name))) {
        text += std::format("  {}: {}\n", name, group.front().value);
        continue;
      }
      std::vector<std::string> members;
      for (const WrittenKey& key : group)
        members.push_back(std::format("{}: {}", part_of(key.name, 2), key.value));
      text += std::format("  {}: {{ {} }}\n", name, base::joined(members, ", "));
    }
  }
  return text;
}

std::string gate_text(const GateSettings& gate) {
  if (!gate.on) return "";
  if (gate.rules.empty()) return "gate: pass\n";
  std::string text = "gate:\n";
  for (const GateRule& rule : gate.rules) text += std::format("  - {}\n", rule_text(rule));
  return text;
}

std::string bound_text(double bound, analysis::MetricUnit unit) {
  if (unit != analysis::MetricUnit::kDuration) return std::format("{}", bound);
  return base::to_string(base::Nanoseconds(std::llround(bound)));
}

std::string claims_text(const std::vector<Claim>& claims) {
  std::string text = claims.empty() ? "" : "expect:\n";
  for (const Claim& claim : claims) {
    const analysis::Metric* metric = analysis::find_metric(claim.metric);
    LABRUN_ASSERT(metric != nullptr);
    text += std::format("  - {{ cell: {}, metric: {}, within: [{}, {}] }}\n", yaml_text(claim.cell),
                        claim.metric, bound_text(claim.low, metric->unit),
                        bound_text(claim.high, metric->unit));
  }
  return text;
}

}  // namespace

std::string to_yaml(const Scenario& scenario, std::string_view comment) {
  LABRUN_ASSERT(scenario.arms.size() == 1);
  std::string text;
  for (const auto line : std::views::split(comment, '\n'))
    text += std::format("# {}\n", std::string_view(line));
  text += std::format("name: {}\n", yaml_text(scenario.name));
  if (!scenario.summary.empty()) text += std::format("summary: {}\n", yaml_text(scenario.summary));
  text += std::format("seed: {}\n", scenario.seed);
  text += sections_of(keys_of(scenario));
  text += gate_text(scenario.arms.front().settings.gate);
  return text + claims_text(scenario.claims);
}

}  // namespace harness
