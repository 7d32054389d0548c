#include "harness/findings_text.hh"

#include "analysis/finding_collection.hh"

#include <algorithm>
#include <format>
#include <vector>

namespace harness {
namespace {

using analysis::FindingCollection;
using analysis::FindingRule;
using analysis::Severity;

// More cells than this are only counted.
constexpr std::size_t kMostCells = 6;

std::string cells_text(const FindingCollection::Collected& collected) {
  if (collected.cells.size() > kMostCells) return std::format("{} cells", collected.cells.size());
  std::string text;
  for (const auto& [cell, count] : collected.cells)
    text += std::format("{}{} {}", text.empty() ? "" : ", ", cell, count);
  return text;
}

std::string finding_lines(const FindingRule& rule, const FindingCollection::Collected& collected,
                          Colors colors) {
  const std::string_view word = to_string(rule.severity);
  const std::string line =
      labelled(word, std::format("{}: {} quer{} ({})", rule.id, collected.queries,
                                 collected.queries == 1 ? "y" : "ies", cells_text(collected)));
  const Ink ink = rule.severity == Severity::kProblem ? Ink::kBad : Ink::kPlain;
  std::string text = paint(word, ink, colors) + line.substr(word.size());
  if (collected.examples.empty()) return text;
  const FindingCollection::Example& example = collected.examples.front();
  return text + labelled("", std::format("{}: {}", example.query, example.text));
}

std::string explained_line(const FindingCollection& findings) {
  if (findings.queries() == 0) return {};
  const double share =
      100.0 * static_cast<double>(findings.explained()) / static_cast<double>(findings.queries());
  std::string text = std::format("{} of {} queries ({:.1f} %), every millisecond of their time",
                                 findings.explained(), findings.queries(), share);
  constexpr std::size_t kMostNamed = 5;
  const auto& missing = findings.unexplained();
  for (std::size_t index = 0; index < std::min(missing.size(), kMostNamed); ++index)
    text += std::format("{} {}", index == 0 ? "; not" : ",", missing[index].query);
  if (missing.size() > kMostNamed)
    text += std::format(" and {} more, all in findings.json", missing.size() - kMostNamed);
  return labelled("explained", text);
}

}  // namespace

std::string render_findings(const FindingCollection& findings, Colors colors) {
  std::string text;
  std::string notes;
  for (const FindingRule& rule : analysis::finding_rules()) {
    const auto* collected = findings.find(rule.id);
    if (collected == nullptr) continue;
    if (rule.severity == Severity::kNote) {
      notes += std::format("{}{} {}", notes.empty() ? "" : ", ", rule.id, collected->queries);
    } else {
      text += finding_lines(rule, *collected, colors);
    }
  }
  if (!notes.empty()) text += labelled("notes", notes);
  if (!text.empty()) text = paint("findings", Ink::kBold, colors) + '\n' + text;
  const std::string explained = explained_line(findings);
  if (text.empty() && explained.empty()) return {};
  return text + explained + '\n';
}

}  // namespace harness
