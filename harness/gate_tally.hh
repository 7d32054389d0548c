#pragma once

// How often each rule of the packet gate took packets: a rule that never did is a claim about the
// traffic that is wrong.

#include "harness/plan.hh"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace harness {

class GateTally {
 public:
  explicit GateTally(const Plan& plan);

  // What one query of `arm` (its index in the plan) has seen, rule by rule.
  void add(std::uint32_t arm, std::span<const std::uint64_t> matches);
  // Of a block of the same plan, as to_json() gave it.
  void add(const nlohmann::json& other);

  // A list with an object for each rule: arm, rule in words, queries and packets that it took.
  nlohmann::json to_json() const;

 private:
  struct Rule {
    std::uint32_t arm = 0;
    std::string arm_name;
    std::string text;
    std::uint64_t queries = 0;
    std::uint64_t packets = 0;
  };
  std::vector<Rule> rules_;  // arms in their order, rules in theirs
};

}  // namespace harness
