#include "harness/exact_json.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormatVersion = 1;
constexpr std::array<std::pair<double, const char*>, 5> kQuantiles{
    {{0.5, "p50_ns"}, {0.9, "p90_ns"}, {0.95, "p95_ns"}, {0.99, "p99_ns"}, {0.999, "p99_9_ns"}}};

Json time_or_null(const std::optional<base::Nanoseconds>& time) {
  return time ? Json(time->count()) : Json(nullptr);
}

Json to_json(const analysis::ExactDistribution& exact) {
  Json object{{"loss", {{"client", exact.rates().client}, {"server", exact.rates().server}}},
              {"unvisited", exact.unvisited()},
              {"never", {exact.never().lower, exact.never().upper}}};
  for (const auto& [q, name] : kQuantiles) {
    const analysis::QuantileBounds bounds = exact.quantile(q);
    object[name] = Json::array({time_or_null(bounds.low), time_or_null(bounds.high)});
  }
  return object;
}

Json atoms_json(const analysis::ExactDistribution& exact) {
  Json atoms = Json::array();
  for (const auto& atom : exact.atoms())
    atoms.push_back({{"time_ns", atom.time.count()}, {"probability", atom.probability}});
  return atoms;
}

Json packets_json(const ExactCell& cell) {
  Json packets = Json::array();
  for (const analysis::TrialPacket& packet : cell.lossless.packets)
    packets.push_back({{"packet", to_string(packet.name)},
                       {"at_ns", packet.at.count()},
                       {"bytes", packet.bytes},
                       {"meaning", packet.meaning}});
  return packets;
}

// The standard ones, and the scenario's own where it is another.
std::vector<analysis::LossRates> wanted_rates(const analysis::LossRates& own) {
  std::vector<analysis::LossRates> wanted;
  for (const double rate : analysis::standard_rates()) wanted.push_back({rate, rate});
  const bool lossless = own.client == 0 && own.server == 0;
  const bool known = std::ranges::any_of(wanted, [&](const analysis::LossRates& rates) {
    return rates.client == own.client && rates.server == own.server;
  });
  if (!lossless && !known) wanted.push_back(own);
  return wanted;
}

Json to_json(const ExactCell& cell) {
  Json rates = Json::array();
  for (const analysis::LossRates& at : wanted_rates(cell.rates))
    rates.push_back(to_json(cell.distribution(at)));
  return {{"floor_ns", cell.planned.floor.count()},
          {"timeout_ns", cell.times.timeout.count()},
          {"lossless_ns", time_or_null(cell.lossless.time)},
          {"packets_that_matter", cell.packets_in_past()},
          {"patterns", cell.leaves.size()},
          {"helped", cell.helped},
          {"faults", cell.faults},
          {"packets", packets_json(cell)},
          {"own_loss", {{"client", cell.rates.client}, {"server", cell.rates.server}}},
          {"own_distribution", atoms_json(cell.distribution(cell.rates))},
          {"by_loss", std::move(rates)}};
}

Json to_json(const FittedCell& cell) {
  Json bins = Json::array();
  for (const analysis::FitBin& bin : cell.fit.bins)
    bins.push_back({{"low_ns", time_or_null(bin.low)},
                    {"high_ns", time_or_null(bin.high)},
                    {"visited", bin.visited},
                    {"expected", bin.expected},
                    {"observed", bin.observed}});
  return {{"samples", cell.samples},
          {"agrees", cell.fit.agrees()},
          {"chi_square", cell.fit.chi_square},
          {"degrees", cell.fit.degrees},
          {"p_value", cell.fit.p_value},
          {"unvisited_observed", cell.fit.unvisited_observed},
          {"unvisited_p_value", cell.fit.unvisited_p_value},
          {"bins", std::move(bins)}};
}

}  // namespace

Json to_json(const ExactFacts& facts) {
  return {{"format", kFormatVersion},
          {"scenario", facts.scenario},
          {"seed", facts.seed},
          {"labrun", facts.version},
          {"kernel", facts.kernel},
          {"reproduce", facts.reproduce},
          {"max_drops", facts.max_drops},
          {"runs", facts.runs},
          {"real_seconds", facts.real_seconds},
          {"real_ms_per_run", facts.real_milliseconds_per_run()}};
}

std::string exact_to_json(std::span<const ExactCell> cells, std::span<const FittedCell> fitted,
                          const ExactFacts& facts) {
  Json by_cell = Json::object();
  for (const ExactCell& cell : cells) by_cell[cell.planned.name] = to_json(cell);
  Json against = Json::object();
  for (const FittedCell& cell : fitted) against[cell.name] = to_json(cell);
  Json object = to_json(facts);
  object["cells"] = std::move(by_cell);
  object["against"] = std::move(against);
  return object.dump(1) + "\n";
}

}  // namespace harness
