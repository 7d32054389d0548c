#include "harness/scenario_claims.hh"

#include "analysis/expectations.hh"
#include "base/units.hh"
#include "harness/spelling.hh"
#include "harness/value_reader.hh"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <utility>

namespace harness {
namespace {

// No scenario claims more about its cells.
constexpr std::size_t kMaxClaims = 1000;
constexpr std::array<std::string_view, 3> kFields{"cell", "metric", "within"};

std::vector<std::string> cells_of(const Scenario& scenario) {
  std::vector<std::string> cells;
  for (const Arm& arm : scenario.arms)
    for (const Transport transport : scenario.transports)
      cells.push_back(cell_name(arm, transport));
  return cells;
}

std::optional<double> parse_ratio(std::string_view text) {
  double value = 0;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

// In the unit in which the metric is compared.
std::optional<double> parse_bound(std::string_view text, analysis::MetricUnit unit) {
  switch (unit) {
    case analysis::MetricUnit::kDuration: {
      const auto duration = base::parse_duration(text);
      if (!duration) return std::nullopt;
      return static_cast<double>(duration->count());
    }
    case analysis::MetricUnit::kProbability: {
      const auto probability = base::parse_probability(text);
      return probability ? std::optional(probability->value()) : std::nullopt;
    }
    case analysis::MetricUnit::kCount:
    case analysis::MetricUnit::kRatio:
      return parse_ratio(text);
  }
  return std::nullopt;
}

std::string_view example_of(analysis::MetricUnit unit) {
  switch (unit) {
    case analysis::MetricUnit::kDuration:
      return "two durations, the lower first, such as [950ms, 1400ms]";
    case analysis::MetricUnit::kProbability:
      return "two probabilities, the lower first, such as [1%, 3%]";
    case analysis::MetricUnit::kCount:
    case analysis::MetricUnit::kRatio:
      return "two numbers, the lower first, such as [0, 2.5]";
  }
  return "";
}

class ClaimReader {
 public:
  ClaimReader(const Scenario& scenario, std::vector<Mistake>& mistakes)
      : cells_(cells_of(scenario)), mistakes_(mistakes) {}

  void read(const RawNode& entry, std::vector<Claim>& claims) {
    const RawNode* cell = nullptr;
    const RawNode* metric = nullptr;
    const RawNode* within = nullptr;
    const std::size_t before = mistakes_.size();
    ValueReader("expect", "{ cell: doq, metric: p50, within: [79.9ms, 80.1ms] }", mistakes_)
        .fields(entry, kFields, [&](std::string_view key, const RawNode& value) {
          (key == "cell" ? cell : key == "metric" ? metric : within) = &value;
        });
    if (mistakes_.size() != before) return;
    if (cell == nullptr || metric == nullptr || within == nullptr) {
      mistakes_.push_back({entry.where, "expect: an entry needs cell, metric and within"});
      return;
    }
    Claim claim;
    claim.location = to_string(entry.where);
    read_metric_and_bounds(*metric, *within, claim);
    for (const std::string& name : cells_that_fit(*cell)) {
      claim.cell = name;
      claims.push_back(claim);
    }
  }

 private:
  void read_metric_and_bounds(const RawNode& metric, const RawNode& within, Claim& claim) {
    ValueReader reader("expect.metric", "one of the metrics in docs/scenarios.md", mistakes_);
    const auto name = reader.text(metric);
    if (!name) return;
    const analysis::Metric* known = analysis::find_metric(*name);
    if (known == nullptr) return unknown_metric(metric);
    claim.metric = *name;
    ValueReader bounds("expect.within", example_of(known->unit), mistakes_);
    if (within.kind != RawNode::Kind::kList || within.items.size() != 2)
      return bounds.reject(within);
    const auto low = parse_bound(within.items[0].text, known->unit);
    const auto high = parse_bound(within.items[1].text, known->unit);
    if (!low || !high || *low > *high) return bounds.reject(within);
    claim.low = *low;
    claim.high = *high;
  }

  void unknown_metric(const RawNode& metric) {
    std::vector<std::string_view> names;
    for (const analysis::Metric& known : analysis::metrics()) names.push_back(known.name);
    const std::string_view close = nearest(metric.text, names);
    mistakes_.push_back(
        {metric.where, close.empty() ? std::format("expect.metric: found {}; allowed: {}",
                                                   quote(metric), join_alternatives(names))
                                     : std::format("expect.metric: found {}; did you mean {}? "
                                                   "(docs/scenarios.md lists all)",
                                                   quote(metric), close)});
  }

  std::vector<std::string> cells_that_fit(const RawNode& cell) {
    ValueReader reader("expect.cell", "the name of a cell", mistakes_);
    const auto pattern = reader.text(cell);
    if (!pattern) return {};
    std::vector<std::string> fitting;
    std::ranges::copy_if(cells_, std::back_inserter(fitting),
                         [&](const std::string& name) { return fits_pattern(name, *pattern); });
    // Without cells the arms or transports have a mistake of their own.
    if (fitting.empty() && !cells_.empty()) {
      const std::vector<std::string_view> names(cells_.begin(), cells_.end());
      mistakes_.push_back({cell.where, std::format("expect.cell: found {}; the cells are {}",
                                                   quote(cell), join_alternatives(names))});
    }
    return fitting;
  }

  std::vector<std::string> cells_;
  std::vector<Mistake>& mistakes_;
};

}  // namespace

bool fits_pattern(std::string_view name, std::string_view pattern) {
  // Where the last '*' and the text that it stands for began: the only place to go back to.
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  std::size_t in_name = 0;
  std::size_t in_pattern = 0;
  while (in_name < name.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      resume = in_name;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == name[in_name]) {
      ++in_pattern;
      ++in_name;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      in_name = ++resume;
    } else {
      return false;
    }
  }
  return pattern.substr(in_pattern).find_first_not_of('*') == std::string_view::npos;
}

std::vector<Claim> read_claims(const RawNode& expect, const Scenario& scenario,
                               std::vector<Mistake>& mistakes) {
  std::vector<Claim> claims;
  if (expect.kind == RawNode::Kind::kNull) return claims;
  if (expect.kind != RawNode::Kind::kList) {
    mistakes.push_back(
        {expect.where, std::format("expect: found {}; allowed: a list of claims such as "
                                   "{{ cell: doq, metric: p50, within: [79.9ms, 80.1ms] }}",
                                   quote(expect))});
    return claims;
  }
  ClaimReader reader(scenario, mistakes);
  for (const RawNode& entry : expect.items) {
    if (claims.size() > kMaxClaims) {
      mistakes.push_back({entry.where, std::format("expect: more than {} claims", kMaxClaims)});
      break;
    }
    reader.read(entry, claims);
  }
  return claims;
}

}  // namespace harness
