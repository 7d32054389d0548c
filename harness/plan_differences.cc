#include "harness/plan_differences.hh"

#include "base/clock.hh"
#include "base/text.hh"
#include "base/units.hh"
#include "harness/plan_json.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <format>
#include <string_view>

namespace harness {
namespace {

using json = nlohmann::ordered_json;

// Values longer than this say less than their key.
constexpr std::size_t kLongestValue = 32;
constexpr std::string_view kNanoseconds = "_ns";

class Differences {
 public:
  void compare(const std::string& key, const json& a, const json& b);
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  void add(std::string line) {
    if (!std::ranges::contains(lines_, line)) lines_.push_back(std::move(line));
  }
  std::vector<std::string> lines_;
};

std::string value_text(std::string_view key, const json& value) {
  if (value.is_null()) return "none";
  if (value.is_string()) return value.get<std::string>();
  if (key.ends_with(kNanoseconds) && value.is_number_integer())
    return base::to_string(base::Nanoseconds(value.get<std::int64_t>()));
  return value.dump();
}

void Differences::compare(const std::string& key, const json& a, const json& b) {
  if (a == b) return;
  if (a.is_object() && b.is_object()) {
    for (const auto& [name, value] : a.items())
      compare(std::format("{}.{}", key, name), value, b.value(name, json()));
    for (const auto& [name, value] : b.items())
      if (!a.contains(name)) compare(std::format("{}.{}", key, name), json(), value);
    return;
  }
  const std::string shown =
      key.ends_with(kNanoseconds) ? key.substr(0, key.size() - kNanoseconds.size()) : key;
  const std::string of_a = value_text(key, a);
  const std::string of_b = value_text(key, b);
  const bool is_short = std::max(of_a.size(), of_b.size()) <= kLongestValue;
  add(is_short ? std::format("{} {} / {}", shown, of_a, of_b) : shown);
}

// "--retry never" as retry: never. An option that is repeated has all its values.
json by_option(const json& arguments) {
  json options = json::object();
  std::string option;
  for (const json& argument : arguments) {
    const auto word = argument.get<std::string>();
    if (word.starts_with("--")) {
      option = word.substr(2);
      if (!options.contains(option)) options[option] = "";
      continue;
    }
    auto value = options.value(option, std::string());
    if (!value.empty()) value += "; ";
    options[option] = value.append(word);
  }
  return options;
}

// The rules by their words: "drop client syn, 1st; delay ...".
json gate_words(const json& gate) {
  if (gate.is_null()) return "off";
  std::vector<std::string> rules;
  for (const json& rule : gate["rules"]) rules.push_back(rule["text"].get<std::string>());
  return rules.empty() ? "pass" : base::joined(rules, "; ");
}

const json* arm_named(const json& arms, const json& name) {
  const auto found =
      std::ranges::find_if(arms, [&](const json& arm) { return arm["name"] == name; });
  return found == arms.end() ? nullptr : &*found;
}

std::size_t queries_per_cell(const Plan& plan) {
  std::size_t count = 0;
  for (const PlannedBlock& block : plan.blocks)
    count += static_cast<std::size_t>(std::ranges::count(block.queries, 0U, &PlannedQuery::cell));
  return count;
}

// What decides packets and times, without the queries, which may be many.
json settings_of(const Plan& plan) {
  Plan settings;
  settings.scenario = plan.scenario;
  settings.mtu = plan.mtu;
  settings.arms = plan.arms;
  return json::parse(plan_to_json(settings));
}

}  // namespace

std::vector<std::string> plan_differences(const Plan& a, const Plan& b) {
  const json of_a = settings_of(a);
  const json of_b = settings_of(b);
  Differences differences;
  for (const char* key : {"scenario", "mtu"}) differences.compare(key, of_a[key], of_b[key]);
  differences.compare("queries", queries_per_cell(a), queries_per_cell(b));
  differences.compare("blocks", a.blocks.size(), b.blocks.size());
  for (const json& arm : of_a["arms"]) {
    const json* other = arm_named(of_b["arms"], arm["name"]);
    if (other == nullptr) continue;
    // Addresses number the arms and change no packet's size or time.
    for (const char* key : {"family", "server", "path", "client"})
      differences.compare(key, arm[key], (*other)[key]);
    differences.compare("gate", gate_words(arm["gate"]), gate_words((*other)["gate"]));
    json arguments = by_option(arm["server_arguments"]);
    json other_arguments = by_option((*other)["server_arguments"]);
    for (json* options : {&arguments, &other_arguments}) options->erase("address");
    differences.compare("server", arguments, other_arguments);
  }
  return differences.take();
}

}  // namespace harness
