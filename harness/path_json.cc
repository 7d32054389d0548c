#include "harness/path_json.hh"

#include "captures/json_fields.hh"

#include <nlohmann/json.hpp>

#include <string_view>

namespace harness {
namespace {

using captures::JsonFields;
using nlohmann::ordered_json;

base::Probability probability(const JsonFields& fields, std::string_view key) {
  const auto value = base::Probability::from(fields.require<double>(key));
  if (!value) fields.reject(key, "not a probability");
  return *value;
}

struct LossToJson {
  ordered_json operator()(const netns::NoLoss&) const { return nullptr; }
  ordered_json operator()(const netns::RandomLoss& loss) const {
    return {{"model", "random"}, {"probability", loss.probability.value()}};
  }
  ordered_json operator()(const netns::GilbertElliottLoss& loss) const {
    return {{"model", "gilbert-elliott"},
            {"good_to_bad", loss.good_to_bad.value()},
            {"bad_to_good", loss.bad_to_good.value()},
            {"loss_in_bad", loss.loss_in_bad.value()},
            {"loss_in_good", loss.loss_in_good.value()}};
  }
};

netns::LossModel loss_from_json(const JsonFields& fields) {
  const auto loss = fields.find_object("loss");
  if (!loss) return netns::NoLoss{};
  const auto model = loss->require<std::string>("model");
  if (model == "random") return netns::RandomLoss{probability(*loss, "probability")};
  if (model != "gilbert-elliott") loss->reject("model", "unknown");
  return netns::GilbertElliottLoss{.good_to_bad = probability(*loss, "good_to_bad"),
                                   .bad_to_good = probability(*loss, "bad_to_good"),
                                   .loss_in_bad = probability(*loss, "loss_in_bad"),
                                   .loss_in_good = probability(*loss, "loss_in_good")};
}

}  // namespace

ordered_json one_way_to_json(const netns::OneWaySpec& spec) {
  ordered_json json{{"delay_ns", spec.delay.count()},
                    {"jitter_ns", spec.jitter.count()},
                    {"loss", std::visit(LossToJson{}, spec.loss)},
                    {"rate_bps", nullptr},
                    {"reorder", nullptr},
                    {"duplicate", spec.duplicate.value()},
                    {"corrupt", spec.corrupt.value()},
                    {"limit_packets", spec.limit}};
  if (spec.rate) json["rate_bps"] = spec.rate->bits_per_second;
  if (spec.reorder) {
    json["reorder"] = {{"probability", spec.reorder->probability.value()},
                       {"gap", spec.reorder->gap}};
  }
  return json;
}

netns::OneWaySpec one_way_from_json(const JsonFields& fields) {
  netns::OneWaySpec spec;
  spec.delay = fields.require<base::Nanoseconds>("delay_ns");
  spec.jitter = fields.require<base::Nanoseconds>("jitter_ns");
  spec.loss = loss_from_json(fields);
  if (const auto rate = fields.find<std::uint64_t>("rate_bps")) spec.rate = base::BitRate{*rate};
  if (const auto reorder = fields.find_object("reorder")) {
    spec.reorder = netns::Reorder{.probability = probability(*reorder, "probability"),
                                  .gap = reorder->require<std::uint32_t>("gap")};
  }
  spec.duplicate = probability(fields, "duplicate");
  spec.corrupt = probability(fields, "corrupt");
  spec.limit = fields.require<std::uint32_t>("limit_packets");
  return spec;
}

}  // namespace harness
