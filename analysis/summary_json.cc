#include "analysis/summary.hh"

#include <nlohmann/json.hpp>

namespace analysis {
namespace {

using Json = nlohmann::ordered_json;

// Version of summary.json; grows by one when a name changes its meaning.
constexpr int kFormatVersion = 1;

Json value_or_null(const std::optional<base::Nanoseconds>& time) {
  return time ? Json(time->count()) : Json(nullptr);
}

Json value_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json pair_of(const ProbabilityInterval& interval) {
  return Json::array({interval.lower, interval.upper});
}

void add_percentile(Json& cell, const std::string& name, const Percentile& percentile) {
  cell[name + "_ns"] = value_or_null(percentile.value);
  if (!percentile.value) {
    cell[name + "_reason"] = percentile.reason;
    cell[name + "_censored"] = percentile.censored;
  }
  cell[name + "_interval_ns"] =
      Json::array({value_or_null(percentile.lower), value_or_null(percentile.upper)});
}

Json to_json(const PerQuery& value) {
  return {{"mean", value.mean}, {"median", value.median}};
}

Json to_json(const std::optional<SentPerQuery>& sent) {
  if (!sent) return nullptr;
  return {{"packets", to_json(sent->packets)}, {"bytes", to_json(sent->bytes)}};
}

Json to_json(const LossAccount& loss) {
  Json json{{"sent", loss.sent},
            {"lost", loss.lost},
            {"measured", value_or_null(loss.measured())},
            {"interval", pair_of(loss.interval())},
            {"configured", loss.configured ? Json(loss.configured->value()) : Json(nullptr)}};
  switch (loss.verdict()) {
    case LossVerdict::kFits:
      json["verdict"] = "fits";
      break;
    case LossVerdict::kDeviates:
      json["verdict"] = "deviates";
      break;
    case LossVerdict::kNotJudged:
      json["verdict"] = "not_judged";
      return json;
  }
  const AcceptanceRegion accepted = loss.accepted();
  json["accepted_lost"] = Json::array({accepted.lowest, accepted.highest});
  return json;
}

Json loss_json(const LossAccount& to_server, const LossAccount& to_client) {
  return {{"client_to_server", to_json(to_server)}, {"server_to_client", to_json(to_client)}};
}

Json to_json(const CellSummary& cell) {
  Json json{{"n", cell.n},
            {"answered", cell.answered},
            {"no_answer", cell.no_answer},
            {"failed", cell.failed},
            {"no_answer_rate_interval", pair_of(cell.no_answer_rate)}};
  add_percentile(json, "p50", cell.p50);
  add_percentile(json, "p90", cell.p90);
  add_percentile(json, "p95", cell.p95);
  add_percentile(json, "p99", cell.p99);
  json["min_ns"] = value_or_null(cell.min);
  json["max_ns"] = value_or_null(cell.max);
  if (!cell.max)
    json["max_reason"] = cell.n == 0 ? "no samples" : "beyond the timeout: a query got no answer";
  json["floor_ns"] = cell.spec.floor.count();
  json["rtt_ns"] = cell.spec.rtt.count();
  json["timeout_ns"] = cell.spec.timeout.count();
  json["rtts"] = value_or_null(cell.rtts);
  json["excess_rtts"] = value_or_null(cell.excess_rtts);
  json["round_trips"] = cell.round_trips ? to_json(*cell.round_trips) : Json(nullptr);
  json["unexplained"] = cell.unexplained;
  json["sent_per_query"] = {{"client", to_json(cell.client)}, {"server", to_json(cell.server)}};
  json["loss"] = loss_json(cell.to_server, cell.to_client);
  return json;
}

}  // namespace

nlohmann::ordered_json to_json(const Summary& summary) {
  Json cells = Json::object();
  for (const CellSummary& cell : summary.cells) cells[cell.spec.name] = to_json(cell);
  return {{"format", kFormatVersion},
          {"interval_confidence", kIntervalConfidence},
          {"cells", cells},
          {"loss", loss_json(summary.to_server, summary.to_client)}};
}

}  // namespace analysis
