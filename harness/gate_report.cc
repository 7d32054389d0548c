#include "harness/gate_report.hh"

#include "base/text.hh"
#include "base/units.hh"
#include "harness/gate_delay.hh"

#include <format>
#include <utility>

namespace harness {
namespace {

using nlohmann::json;

// Shorter ones are clock readings in virtual time.
constexpr base::Nanoseconds kWorthALine = std::chrono::microseconds(10);

}  // namespace

json gate_json(const GateTally& tally, std::vector<base::Nanoseconds> delays) {
  json object{{"rules", tally.to_json()}, {"added_delay_ns", nullptr}};
  if (const auto delay = summarise(std::move(delays)))
    object["added_delay_ns"] = {{"median", delay->median.count()}, {"max", delay->longest.count()}};
  return object;
}

std::string gate_text(const json& gate) {
  std::vector<std::string> lines;
  for (const json& rule : gate.at("rules")) {
    if (rule.at("packets") != 0) continue;
    const auto arm = rule.at("arm").get<std::string>();
    lines.push_back(std::format("\"{}\"{}{} never matched a packet",
                                rule.at("rule").get<std::string>(), arm.empty() ? "" : " of ",
                                arm));
  }
  const json& delay = gate.at("added_delay_ns");
  if (!delay.is_null()) {
    const base::Nanoseconds median(delay.at("median").get<std::int64_t>());
    const base::Nanoseconds longest(delay.at("max").get<std::int64_t>());
    if (longest >= kWorthALine)
      lines.push_back(
          std::format("packets stood at it for {} (median), {} at most; that is part of "
                      "every time above",
                      base::to_string(median), base::to_string(longest)));
  }
  return base::joined(lines, "\n");
}

std::string gate_text(const GateTally& tally, std::vector<base::Nanoseconds> delays) {
  return gate_text(gate_json(tally, std::move(delays)));
}

}  // namespace harness
