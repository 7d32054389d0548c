#include "harness/gate_json.hh"

#include "captures/json_fields.hh"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace harness {
namespace {

using captures::JsonFields;
using nlohmann::ordered_json;

template <typename Value>
ordered_json or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : nullptr;
}

ordered_json rule_to_json(const GateRule& rule) {
  ordered_json is = ordered_json::array();
  for (const analysis::Meaning meaning : rule.is) is.push_back(to_string(meaning));
  ordered_json json{{"text", rule.text},
                    {"verdict", to_string(rule.verdict)},
                    {"from", to_string(rule.from)},
                    {"is", std::move(is)},
                    {"part", nullptr},
                    {"after", nullptr},
                    {"ordinal", or_null(rule.ordinal)},
                    {"nth", rule.nth},
                    {"times", or_null(rule.times)},
                    {"by_ns", rule.by.count()},
                    {"behind", rule.behind}};
  if (rule.part) json["part"] = to_string(*rule.part);
  if (rule.after) json["after"] = to_string(*rule.after);
  return json;
}

// The value behind a word.
template <typename Value>
Value known(const JsonFields& fields, std::string_view key, const std::optional<Value>& value) {
  if (!value) fields.reject(key, "unknown word");
  return *value;
}

GateRule rule_from_json(const JsonFields& fields) {
  GateRule rule;
  rule.text = fields.require<std::string>("text");
  rule.verdict =
      known(fields, "verdict", parse_rule_verdict(fields.require<std::string>("verdict")));
  rule.from = known(fields, "from", parse_end(fields.require<std::string>("from")));
  for (const std::string& name : fields.require<std::vector<std::string>>("is"))
    rule.is.push_back(known(fields, "is", analysis::parse_meaning(name)));
  if (const auto part = fields.find<std::string>("part"))
    rule.part = known(fields, "part", parse_part(*part));
  if (const auto after = fields.find<std::string>("after"))
    rule.after = known(fields, "after", parse_after(*after));
  rule.ordinal = fields.find<std::uint64_t>("ordinal");
  rule.nth = fields.require<std::uint64_t>("nth");
  rule.times = fields.find<std::uint64_t>("times");
  rule.by = fields.require<base::Nanoseconds>("by_ns");
  rule.behind = fields.require<std::uint32_t>("behind");
  return rule;
}

}  // namespace

ordered_json gate_to_json(const GateSettings& gate) {
  if (!gate.on) return nullptr;
  ordered_json rules = ordered_json::array();
  for (const GateRule& rule : gate.rules) rules.push_back(rule_to_json(rule));
  return {{"rules", std::move(rules)}};
}

GateSettings gate_from_json(const std::optional<JsonFields>& fields) {
  GateSettings gate;
  if (!fields) return gate;
  gate.on = true;
  for (const JsonFields& rule : fields->objects("rules"))
    gate.rules.push_back(rule_from_json(rule));
  return gate;
}

}  // namespace harness
