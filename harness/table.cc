#include "harness/table.hh"

#include "analysis/expectations.hh"
#include "analysis/summary.hh"
#include "base/units.hh"
#include "harness/findings_text.hh"

#include <algorithm>
#include <format>
#include <ranges>
#include <utility>

namespace harness {
namespace {

using analysis::CellSummary;
using analysis::LossAccount;

constexpr std::size_t kWidestName = 20;
// More claims than these are counted where they hold; broken ones are always shown.
constexpr std::ptrdiff_t kClaimsShown = 10;

std::size_t name_width(const analysis::Summary& summary) {
  std::size_t width = 6;
  for (const CellSummary& cell : summary.cells)
    if (cell.spec.name.size() <= kWidestName) width = std::max(width, cell.spec.name.size());
  return width;
}

// Times of each cell; under them their confidence intervals.
std::string times(const analysis::Summary& summary, Colors colors) {
  TableWriter table({name_width(summary), 7, 15, 15, 15, 15, 11}, colors);
  table.heading({"ms", "n", "p50", "p90", "p95", "p99", "max"});
  for (const CellSummary& cell : summary.cells) {
    const base::Nanoseconds timeout = cell.spec.timeout;
    std::vector<TableCell> values{{cell.spec.name, Ink::kPlain}, {std::to_string(cell.n)}};
    std::vector<TableCell> intervals{{}, {}};
    bool uncertain = false;
    for (const analysis::Percentile* percentile : {&cell.p50, &cell.p90, &cell.p95, &cell.p99}) {
      values.push_back(
          {percentile_text(*percentile, timeout), percentile->censored ? Ink::kBad : Ink::kPlain});
      intervals.push_back({interval_text(*percentile, timeout), Ink::kFaint});
      uncertain |= !intervals.back().text.empty() && intervals.back().text != values.back().text;
    }
    if (cell.max) {
      values.push_back({in_milliseconds(*cell.max)});
    } else {
      values.push_back({cell.n == 0 ? "-" : beyond(timeout), Ink::kBad});
    }
    table.row(values);
    // Intervals that are as narrow as their figures say nothing new.
    if (uncertain) table.row(intervals);
  }
  return table.text();
}

std::string in_round_trips(const std::optional<double>& value, const char* sign) {
  if (!value) return "-";
  return std::format("{}{:.2f}", *value < 0 ? "" : sign, *value);
}

std::string share(std::uint64_t of, std::uint64_t n) {
  if (of == 0 || n == 0) return std::to_string(of);
  return std::format("{} {:.1f}%", of, 100.0 * static_cast<double>(of) / static_cast<double>(n));
}

std::string mean_of(const std::optional<analysis::SentPerQuery>& sent,
                    analysis::PerQuery analysis::SentPerQuery::* what, int decimals) {
  if (!sent) return "-";
  return std::format("{:.{}f}", ((*sent).*what).mean, decimals);
}

// Outcomes, round trips and what was sent per query.
std::string outcomes(const analysis::Summary& summary, Colors colors) {
  using analysis::SentPerQuery;
  TableWriter table({name_width(summary), 9, 11, 7, 10, 8, 9, 7, 10, 9}, colors);
  table.heading({"", "", "", "", "median", "over", "packets", "/query", "IP bytes", "/query"});
  table.heading({"cell", "answered", "no answer", "failed", "in RTT", "floor", "client", "server",
                 "client", "server"});
  for (const CellSummary& cell : summary.cells) {
    const Ink no_answer = cell.no_answer == 0 ? Ink::kPlain : Ink::kBad;
    const Ink failed = cell.failed == 0 ? Ink::kPlain : Ink::kBad;
    table.row({{cell.spec.name},
               {std::to_string(cell.answered)},
               {share(cell.no_answer, cell.n), no_answer},
               {std::to_string(cell.failed), failed},
               {in_round_trips(cell.rtts, "")},
               {in_round_trips(cell.excess_rtts, "+")},
               {mean_of(cell.client, &SentPerQuery::packets, 1)},
               {mean_of(cell.server, &SentPerQuery::packets, 1)},
               {mean_of(cell.client, &SentPerQuery::bytes, 0)},
               {mean_of(cell.server, &SentPerQuery::bytes, 0)}});
  }
  return table.text();
}

bool has_gap(const CellSummary& cell, const analysis::Percentile CellSummary::* which) {
  const analysis::Percentile& percentile = cell.*which;
  return !percentile.value && !percentile.censored;
}

// What the marks in the tables mean, as far as they occur.
std::string notes(const analysis::Summary& summary) {
  std::string text = labelled(
      "intervals", std::format("each bound of a percentile holds with {:.0f} %; queries without an "
                               "answer are counted in",
                               100 * analysis::kBoundConfidence));
  const std::pair<double, const analysis::Percentile CellSummary::*> all[] = {
      {0.5, &CellSummary::p50},
      {0.9, &CellSummary::p90},
      {0.95, &CellSummary::p95},
      {0.99, &CellSummary::p99}};
  std::string needs;
  for (const auto& [p, which] : all) {
    if (std::ranges::none_of(summary.cells, [&](const auto& cell) { return has_gap(cell, which); }))
      continue;
    needs += std::format("{}p{:g} needs {}", needs.empty() ? "" : ", ", 100 * p,
                         analysis::samples_needed(p));
  }
  if (!needs.empty()) text += labelled("-", std::format("too few queries: {}", needs));
  return text;
}

std::string loss_text(std::string_view direction, const LossAccount& loss) {
  std::string text = std::format("{} {:.2f} % of {} packets", direction,
                                 100 * loss.measured().value_or(0), loss.sent);
  switch (loss.verdict()) {
    case analysis::LossVerdict::kFits:
      return text + std::format(", fits {}", base::to_string(*loss.configured));
    case analysis::LossVerdict::kDeviates:
      return text + std::format(", DEVIATES from {}", base::to_string(*loss.configured));
    case analysis::LossVerdict::kNotJudged:
      break;
  }
  return text;
}

std::string losses(const analysis::Summary& summary) {
  if (summary.to_server.sent == 0 && summary.to_client.sent == 0) return {};
  return labelled("loss", loss_text("to server", summary.to_server) + "; " +
                              loss_text("to client", summary.to_client));
}

std::string verdict_lines(std::span<const analysis::ExpectationVerdict> verdicts, Colors colors) {
  const auto is_held = [](const analysis::ExpectationVerdict& verdict) {
    return verdict.judgement == analysis::Judgement::kHeld;
  };
  const auto held = std::ranges::count_if(verdicts, is_held);
  const bool count_held = std::ssize(verdicts) > kClaimsShown;
  std::string text;
  if (count_held && held > 0)
    text += paint("held", Ink::kGood, colors) +
            labelled("held", std::format("{} of {} claims", held, verdicts.size())).substr(4);
  for (const analysis::ExpectationVerdict& verdict : verdicts) {
    if (count_held && is_held(verdict)) continue;
    std::string_view word = "not judged";
    Ink ink = Ink::kPlain;
    if (verdict.judgement == analysis::Judgement::kHeld) {
      word = "held";
      ink = Ink::kGood;
    } else if (verdict.judgement == analysis::Judgement::kBroken) {
      word = "BROKEN";
      ink = Ink::kBad;
    }
    // Coloured after the wrapping, which counts characters.
    std::string line = labelled(word, verdict.text);
    text += paint(word, ink, colors) + line.substr(word.size());
  }
  return text.empty() ? text : paint("expectations", Ink::kBold, colors) + '\n' + text + '\n';
}

// Lines that must not be overlooked.
std::string alarms(std::string_view word, const std::string& lines, Colors colors) {
  std::string text;
  for (const auto part : std::views::split(lines, '\n')) {
    const std::string_view line(part);
    if (!line.empty())
      text += paint(word, Ink::kBad, colors) + labelled(word, line).substr(word.size());
  }
  return text;
}

}  // namespace

std::string render_table(const analysis::Summary& summary,
                         std::span<const analysis::ExpectationVerdict> verdicts,
                         const analysis::FindingCollection& findings, const RunFacts& facts,
                         Colors colors) {
  std::string text = times(summary, colors) + '\n' + outcomes(summary, colors) + '\n';
  text += verdict_lines(verdicts, colors);
  text += render_findings(findings, colors);
  text += alarms("INVALID", facts.validity, colors);
  text += alarms("SERVER", facts.server_ends, colors);
  text += notes(summary) + losses(summary);
  for (const auto line : std::views::split(facts.gate, '\n'))
    if (!line.empty()) text += labelled("gate", std::string_view(line));
  text += labelled("seed", facts.seed);
  text += labelled("kernel", facts.kernel);
  text += labelled("versions", facts.versions);
  text += std::format("{:<14}{}\n", "reproduce", facts.reproduce);
  text += std::format("{:<14}{}\n", "run directory", facts.run_directory);
  return text;
}

}  // namespace harness
