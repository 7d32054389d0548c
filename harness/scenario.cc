#include "harness/scenario.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "harness/raw_scenario.hh"
#include "harness/scenario_arms.hh"
#include "harness/scenario_assignments.hh"
#include "harness/scenario_claims.hh"
#include "harness/scenario_keys.hh"

#include <algorithm>
#include <format>
#include <utility>

namespace harness {
namespace {

constexpr std::uint32_t kMaxBlocks = 10000;
// Records of a run are held in memory.
constexpr std::uint64_t kMaxQueries = 2'000'000;

void check_required(const Assignments& assignments, std::string_view file,
                    std::vector<Mistake>& mistakes) {
  for (const Key& key : scenario_keys()) {
    if (key.presence != Key::Presence::kRequired) continue;
    if (find_assignment(assignments.values, key.name) != nullptr) continue;
    mistakes.push_back(
        {{std::string(file)}, std::format("{}: missing; allowed: {}", key.name, key.allowed)});
  }
}

// Limits of all cells together. Mistakes that make a figure unknown are named already.
void check_size(const Scenario& scenario, const Location& where, std::vector<Mistake>& mistakes) {
  const std::uint64_t cells = scenario.arms.size() * scenario.transports.size();
  const std::uint64_t queries = cells * scenario.queries;
  if (queries > kMaxQueries) {
    mistakes.push_back({where, std::format("client.queries: {} cells with {} queries are {}; "
                                           "allowed: at most {} in all",
                                           cells, scenario.queries, queries, kMaxQueries)});
    return;
  }
  const std::uint64_t in_block = (scenario.queries + scenario.blocks - 1) / scenario.blocks;
  const std::uint64_t most = kMaxBlockPorts / ports_per_query(scenario);
  if (cells * in_block > most) {
    mistakes.push_back({where, std::format("block_queries: {} cells with {} queries each in one "
                                           "block; allowed: at most {} in all",
                                           cells, in_block, most)});
  }
}

// As many blocks as hold `block_queries` each; queries spread evenly over them.
std::uint32_t decide_blocks(const Draft& draft, const Overrides& overrides,
                            std::vector<Mistake>& mistakes) {
  const std::uint32_t queries = std::max(draft.scenario.queries, 1U);
  if (overrides.blocks) {
    if (*overrides.blocks >= 1 && *overrides.blocks <= std::min(queries, kMaxBlocks))
      return *overrides.blocks;
    mistakes.push_back({{"--blocks"},
                        std::format("found {}; allowed: from 1 to {}, and no more than the {} "
                                    "queries per cell",
                                    *overrides.blocks, kMaxBlocks, queries)});
    return 1;
  }
  const std::uint32_t blocks = (queries + draft.block_queries - 1) / draft.block_queries;
  if (blocks <= kMaxBlocks) return blocks;
  mistakes.push_back({{"--blocks"},
                      std::format("{} queries in blocks of {} make {} blocks; allowed: at most {}",
                                  queries, draft.block_queries, blocks, kMaxBlocks)});
  return 1;
}

}  // namespace

std::string_view to_string(Family family) {
  return family == Family::kIpv4 ? "ipv4" : "ipv6";
}
std::string_view to_string(Retry retry) {
  return retry == Retry::kNever ? "never" : "always";
}
std::string_view to_string(Padding padding) {
  return padding == Padding::kNone ? "none" : "rfc8467";
}
std::string_view to_string(HttpMethod method) {
  return method == HttpMethod::kGet ? "GET" : "POST";
}
std::string_view to_string(EarlyData handling) {
  switch (handling) {
    case EarlyData::kNone:
      return "none";
    case EarlyData::kAccept:
      return "accept";
    case EarlyData::kReject:
      break;
  }
  return "reject";
}

std::uint16_t ports_per_query(const Scenario& scenario) {
  std::uint16_t most = 1;
  for (const Arm& arm : scenario.arms)
    most = std::max(most, captures::ports_of(arm.settings.client.connection));
  return most;
}

std::string cell_name(const Arm& arm, Transport transport) {
  if (arm.name.empty()) return std::string(to_string(transport));
  return std::format("{}/{}", arm.name, to_string(transport));
}

Scenario parse_scenario(std::string_view text, std::string_view file, const Overrides& overrides) {
  std::vector<Mistake> mistakes;
  const RawNode root = parse_yaml(text, file, mistakes);
  if (root.kind == RawNode::Kind::kNull)
    throw ScenarioError({Mistake{{std::string(file)}, "the file is empty"}});
  Assignments assignments = collect_assignments(root, mistakes);
  // Of what is no mapping at all, it would be noise to list what is missing.
  if (root.kind != RawNode::Kind::kMapping) throw ScenarioError(std::move(mistakes));
  for (const std::string& option : overrides.assignments)
    apply_option(option, assignments, mistakes);
  check_required(assignments, file, mistakes);

  const Draft common = read_common(assignments, mistakes);
  Scenario scenario = common.scenario;
  scenario.arms = make_arms(assignments, file, scenario, mistakes);
  scenario.blocks = decide_blocks(common, overrides, mistakes);
  const Assignment* queries = find_assignment(assignments.values, "client.queries");
  if (queries != nullptr) check_size(scenario, queries->value.where, mistakes);
  if (assignments.expect) scenario.claims = read_claims(*assignments.expect, scenario, mistakes);
  if (!mistakes.empty()) throw ScenarioError(std::move(mistakes));
  return scenario;
}

Scenario load_scenario(const std::filesystem::path& path, const Overrides& overrides) {
  if (std::filesystem::is_directory(path))
    throw ScenarioError({Mistake{{path.string()}, "is a directory; a scenario is a YAML file"}});
  std::string text;
  try {
    text = base::read_file(path, kMaxScenarioBytes);
  } catch (const base::SystemError&) {
    throw;
  } catch (const base::LabError& error) {
    throw ScenarioError({Mistake{{path.string()}, error.what()}});
  }
  Scenario scenario = parse_scenario(text, path.string(), overrides);
  scenario.text = std::move(text);
  return scenario;
}

}  // namespace harness
