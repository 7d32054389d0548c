#include "netns/network_facts.hh"

#include <nlohmann/json.hpp>

namespace netns {
namespace {

using nlohmann::json;

json to_json(const LossModel& loss) {
  if (const auto* random = std::get_if<RandomLoss>(&loss))
    return {{"model", "random"}, {"probability", random->probability.value()}};
  if (const auto* bursts = std::get_if<GilbertElliottLoss>(&loss))
    return {{"model", "gilbert-elliott"},
            {"good_to_bad", bursts->good_to_bad.value()},
            {"bad_to_good", bursts->bad_to_good.value()},
            {"loss_in_bad", bursts->loss_in_bad.value()},
            {"loss_in_good", bursts->loss_in_good.value()},
            {"mean", mean_loss(loss)}};
  return {{"model", "none"}};
}

json to_json(const QdiscCounters& counters) {
  json object{{"sent_packets", counters.sent_packets}, {"sent_bytes", counters.sent_bytes},
              {"dropped", counters.dropped},           {"overlimits", counters.overlimits},
              {"requeues", counters.requeues},         {"queued_packets", counters.queued_packets},
              {"queued_bytes", counters.queued_bytes}, {"dropped_by_queue", nullptr}};
  if (const auto dropped = counters.dropped_by_queue()) object["dropped_by_queue"] = *dropped;
  if (counters.netem)
    object["netem"] = {{"delayed", counters.netem->delayed},
                       {"dropped_by_loss", counters.netem->dropped_by_loss},
                       {"corrupted", counters.netem->corrupted},
                       {"duplicated", counters.netem->duplicated},
                       {"reordered", counters.netem->reordered}};
  return object;
}

json to_json(const std::optional<NetemFact>& fact) {
  if (!fact) return nullptr;
  json object{{"spec", netns::to_json(fact->spec)},
              {"seed", nullptr},
              {"counters", to_json(fact->counters)}};
  // Decimal text: many JSON readers round numbers above 2^53.
  if (fact->seed) object["seed"] = std::to_string(*fact->seed);
  return object;
}

json to_json(const DeviceFact& device) {
  return {{"namespace", device.space},
          {"name", device.name},
          {"mac", device.mac},
          {"mtu", device.mtu},
          {"up", device.up},
          {"carrier", device.carrier},
          {"offloads", device.offloads},
          {"gso_max_segs", device.gso_max_segs},
          {"addresses", device.addresses}};
}

json to_json(const SysctlFact& sysctl) {
  json object{{"name", sysctl.name}, {"value", nullptr}, {"reason", sysctl.reason}};
  if (sysctl.value) object["value"] = *sysctl.value;
  if (!sysctl.wanted.empty()) object["wanted"] = sysctl.wanted;
  return object;
}

}  // namespace

std::optional<std::uint64_t> QdiscCounters::dropped_by_queue() const {
  if (!netem) return std::nullopt;
  return dropped - netem->dropped_by_loss;
}

json to_json(const OneWaySpec& spec) {
  json object{{"delay_ns", spec.delay.count()},
              {"jitter_ns", spec.jitter.count()},
              {"loss", to_json(spec.loss)},
              {"rate_bps", nullptr},
              {"reorder", nullptr},
              {"duplicate", spec.duplicate.value()},
              {"corrupt", spec.corrupt.value()},
              {"limit_packets", spec.limit}};
  if (spec.rate) object["rate_bps"] = spec.rate->bits_per_second;
  if (spec.reorder)
    object["reorder"] = {{"probability", spec.reorder->probability.value()},
                         {"gap", spec.reorder->gap}};
  return object;
}

json to_json(const NetworkFacts& facts) {
  json sysctls = json::object();
  for (const auto& [space, settings] : facts.sysctls)
    for (const SysctlFact& setting : settings) sysctls[space].push_back(to_json(setting));
  json devices = json::array();
  for (const DeviceFact& device : facts.devices) devices.push_back(to_json(device));
  return {{"sysctls", sysctls},
          {"devices", devices},
          {"netem",
           {{"to_server", to_json(facts.to_server)}, {"to_client", to_json(facts.to_client)}}}};
}

}  // namespace netns
