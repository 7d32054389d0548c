#include "harness/plan.hh"

#include "harness/arm_network.hh"
#include "harness/scenario_error.hh"
#include "harness/spelling.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <format>
#include <numeric>
#include <utility>

namespace harness {
namespace {

// How long a connection has to be silent before it is gone on with: longer than anything that ends
// wait for, acknowledgements that are put off or the validation of a path, and well within what
// servers keep a silent connection for.
constexpr base::Nanoseconds kSettle = std::chrono::seconds(1);

// Which cells of a scenario a plan keeps.
class Selection {
 public:
  Selection(const Scenario& scenario, std::span<const std::string> only)
      : scenario_(scenario), only_(only) {
    for (const std::string& name : only_) check(name);
  }

  bool keeps(const Arm& arm, Transport transport) const {
    return only_.empty() || std::ranges::any_of(only_, [&](const std::string& name) {
             return matches(name, arm, transport);
           });
  }

 private:
  static bool matches(std::string_view name, const Arm& arm, Transport transport) {
    return name == cell_name(arm, transport) || name == to_string(transport) ||
           (name == arm.name && !arm.name.empty());
  }

  void check(const std::string& name) const {
    std::vector<std::string> cells;
    for (const Arm& arm : scenario_.arms) {
      for (const Transport transport : scenario_.transports) {
        if (matches(name, arm, transport)) return;
        cells.push_back(cell_name(arm, transport));
      }
    }
    const std::vector<std::string_view> names(cells.begin(), cells.end());
    const std::string_view close = nearest(name, names);
    throw BadInput(std::format("--only {}: no such cell; {}", name,
                               close.empty() ? "the cells are " + join_alternatives(names)
                                             : std::format("did you mean {}?", close)));
  }

  const Scenario& scenario_;
  std::span<const std::string> only_;
};

// All cells, those that are not kept included: ports and orders must not depend on the selection.
struct CandidateCell {
  std::string name;
  std::optional<std::uint32_t> kept_as;  // in Plan::cells
};

std::vector<CandidateCell> add_cells(const Scenario& scenario, const Selection& selection,
                                     Plan& plan) {
  std::vector<CandidateCell> candidates;
  for (std::uint32_t ordinal = 0; ordinal < scenario.arms.size(); ++ordinal) {
    const Arm& arm = scenario.arms[ordinal];
    std::optional<std::uint32_t> arm_index;
    for (const Transport transport : scenario.transports) {
      CandidateCell candidate{cell_name(arm, transport), std::nullopt};
      if (selection.keeps(arm, transport)) {
        if (!arm_index) {
          arm_index = static_cast<std::uint32_t>(plan.arms.size());
          plan.arms.push_back(plan_arm(arm, ordinal, scenario.transports));
        }
        candidate.kept_as = static_cast<std::uint32_t>(plan.cells.size());
        const int round_trips = floor_round_trips(arm.settings, transport);
        plan.cells.push_back({candidate.name, *arm_index, transport, round_trips,
                              round_trips * plan.arms[*arm_index].rtt});
      }
      candidates.push_back(std::move(candidate));
    }
  }
  return candidates;
}

// Fisher and Yates, because std::shuffle draws differently from one library to the next.
void shuffle(std::vector<std::uint32_t>& order, base::Rng& rng) {
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[rng.below(left)]);
}

// Asks `count` queries of each cell, the first of them number `first` of its cell. Neighbours in
// time belong to different cells, so that whatever drifts, drifts for all of them alike.
PlannedBlock plan_block(base::Seed scenario_seed, std::uint32_t index, std::uint32_t first,
                        std::uint32_t count, const std::vector<CandidateCell>& cells,
                        std::uint16_t ports) {
  PlannedBlock block;
  block.index = index;
  block.seed = base::derive_seed(scenario_seed, std::format("block/{}", index));
  base::Rng rng(base::derive_seed(block.seed, "order"));
  std::vector<std::uint32_t> order(cells.size());
  std::iota(order.begin(), order.end(), 0U);
  std::uint16_t port = kFirstLocalPort;
  for (std::uint32_t i = 0; i < count; ++i) {
    shuffle(order, rng);
    for (const std::uint32_t cell : order) {
      const std::uint16_t local_port = std::exchange(port, port + ports);
      if (!cells[cell].kept_as) continue;
      std::string id = std::format("{}:{}", cells[cell].name, first + i);
      const base::Seed seed = base::derive_seed(block.seed, std::format("query/{}", id));
      block.queries.push_back({std::move(id), *cells[cell].kept_as, first + i, seed, local_port});
    }
  }
  return block;
}

}  // namespace

Plan make_plan(const Scenario& scenario, std::span<const std::string> only) {
  Plan plan;
  plan.scenario = scenario.name;
  plan.summary = scenario.summary;
  plan.seed = scenario.seed;
  plan.mtu = scenario.mtu;
  const std::vector<CandidateCell> cells = add_cells(scenario, Selection(scenario, only), plan);
  for (const PlannedArm& arm : plan.arms)
    if (!std::ranges::contains(plan.client_addresses, arm.client_address))
      plan.client_addresses.push_back(arm.client_address);

  std::uint32_t first = 0;
  for (std::uint32_t index = 0; index < scenario.blocks; ++index) {
    const std::uint32_t count =
        scenario.queries / scenario.blocks + (index < scenario.queries % scenario.blocks ? 1 : 0);
    plan.blocks.push_back(
        plan_block(scenario.seed, index, first, count, cells, ports_per_query(scenario)));
    first += count;
  }
  std::ranges::copy_if(scenario.claims, std::back_inserter(plan.claims), [&](const Claim& claim) {
    return std::ranges::contains(plan.cells, claim.cell, &PlannedCell::name);
  });
  return plan;
}

netns::PathSeeds path_seeds(const PlannedQuery& query) {
  return {.to_server = base::derive_seed(query.seed, "to_server"),
          .to_client = base::derive_seed(query.seed, "to_client")};
}

std::string block_name(std::uint32_t index) {
  return std::to_string(index);
}

std::string request_line(const Plan& plan, const PlannedBlock& block, const PlannedQuery& query,
                         const std::optional<std::string>& ca_file, Step step) {
  const PlannedCell& cell = plan.cells.at(query.cell);
  const PlannedArm& arm = plan.arms.at(cell.arm);
  const ClientSettings& client = arm.client;
  nlohmann::ordered_json line{
      {"id", query.id},
      {"cell", cell.name},
      {"transport", to_string(cell.transport)},
      {"block", block.index},
      {"index", query.index},
      {"seed", std::to_string(query.seed)},
      {"server", arm.server_address},
      {"port", facts(cell.transport).port},
      {"local_port", query.local_port},
      {"server_name", kServerName},
      {"path", kDohPath},
      {"question", {{"name", client.question.name}, {"type", client.question.type}}},
      {"timeout_ns", client.timeout.count()},
      {"groups", client.key_exchange},
      {"initial_rtt_ns", client.initial_rtt.count()},
      {"max_udp_payload", client.max_udp_payload.bytes},
      {"pmtud", client.pmtud},
      {"padding", to_string(client.padding)},
      {"method", to_string(client.method)},
      {"connection", captures::to_string(connection_of(client.connection, cell.transport))},
      {"settle_ns", (kSettle + arm.rtt).count()},
      {"prepare", step == Step::kPrepare},
      {"ca_file", nullptr}};
  if (ca_file) line["ca_file"] = *ca_file;
  return line.dump() + '\n';
}

}  // namespace harness
