#include "harness/gate_tally.hh"

#include "base/errors.hh"

namespace harness {

using nlohmann::json;

GateTally::GateTally(const Plan& plan) {
  for (std::uint32_t arm = 0; arm < plan.arms.size(); ++arm)
    for (const GateRule& rule : plan.arms[arm].gate.rules)
      rules_.push_back({.arm = arm, .arm_name = plan.arms[arm].name, .text = rule.text});
}

void GateTally::add(std::uint32_t arm, std::span<const std::uint64_t> matches) {
  std::size_t next = 0;
  for (Rule& rule : rules_) {
    if (rule.arm != arm) continue;
    const std::uint64_t packets = matches[next++];
    rule.packets += packets;
    if (packets > 0) ++rule.queries;
  }
}

void GateTally::add(const json& other) {
  LABRUN_ASSERT(other.size() == rules_.size());
  for (std::size_t index = 0; index < rules_.size(); ++index) {
    rules_[index].queries += other[index].at("queries").get<std::uint64_t>();
    rules_[index].packets += other[index].at("packets").get<std::uint64_t>();
  }
}

json GateTally::to_json() const {
  json list = json::array();
  for (const Rule& rule : rules_)
    list.push_back({{"arm", rule.arm_name},
                    {"rule", rule.text},
                    {"queries", rule.queries},
                    {"packets", rule.packets}});
  return list;
}

}  // namespace harness
