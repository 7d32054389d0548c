#include "harness/bundle_words.hh"

#include "analysis/binomial.hh"
#include "analysis/finding.hh"
#include "base/text.hh"
#include "base/units.hh"
#include "harness/table_text.hh"

#include <algorithm>
#include <cstddef>
#include <format>
#include <optional>
#include <ranges>
#include <vector>

namespace harness {
namespace {

const BundledQuery& lead(const BundleSubject& subject) {
  return subject.queries.front();
}

const PlannedCell& cell_of(const BundleSubject& subject) {
  return *std::ranges::find(subject.plan.cells, lead(subject).record.cell, &PlannedCell::name);
}

const PlannedArm& arm_of(const BundleSubject& subject) {
  return subject.plan.arms.at(cell_of(subject).arm);
}

std::string server_words(const BundleSubject& subject) {
  const std::string& server = arm_of(subject).server;
  const auto version = subject.versions.find(server);
  return version == subject.versions.end() ? server : std::format("{} {}", server, version->second);
}

std::string ending_words(const BundleSubject& subject) {
  const captures::QueryRecord& record = lead(subject).record;
  if (record.time) return std::format("an answer after {} ms", in_milliseconds(*record.time));
  if (record.outcome == captures::Outcome::kFailed)
    return "no answer, but " + record.error.value_or("a failure");
  return std::format("no answer within {}", base::to_string(arm_of(subject).client.timeout));
}

// The gravest one.
const analysis::Finding* main_finding(const BundleSubject& subject) {
  const auto& findings = lead(subject).findings;
  const auto gravest = std::ranges::max_element(findings, {}, [](const analysis::Finding& one) {
    return analysis::finding_rule(one.id).severity;
  });
  return gravest == findings.end() ? nullptr : &*gravest;
}

std::vector<std::string> settings_in(std::string_view cell) {
  std::vector<std::string> settings;
  for (const auto part : cell.substr(0, cell.rfind('/')) | std::views::split(','))
    settings.emplace_back(part.begin(), part.end());
  return settings;
}

std::string_view transport_in(std::string_view cell) {
  return cell.substr(std::min(cell.rfind('/') + 1, cell.size()));
}

// What alone tells the cells apart, in the words of the second: "loss=0%". Empty where it is more
// or nothing.
std::optional<std::string> one_difference(std::string_view from, std::string_view to) {
  const std::vector<std::string> ours = settings_in(from);
  const std::vector<std::string> theirs = settings_in(to);
  if (ours.size() != theirs.size()) return std::nullopt;
  std::vector<std::string> differences;
  for (std::size_t index = 0; index < ours.size(); ++index)
    if (ours[index] != theirs[index] && from.contains('/') && to.contains('/'))
      differences.push_back(theirs[index]);
  if (transport_in(from) != transport_in(to)) differences.emplace_back(transport_in(to));
  return differences.size() == 1 ? std::optional(differences.front()) : std::nullopt;
}

std::string row(const BundleSubject& subject, const std::string& cell, const std::string& name) {
  const auto found = subject.outcomes.find(cell);
  const analysis::CellSummary* summary = subject.summary.find(cell);
  if (found == subject.outcomes.end() || summary == nullptr) return {};
  const CellOutcomes& counted = found->second;
  const auto interval = analysis::wilson_interval(counted.unanswered, counted.n);
  std::vector<std::string> blocks;
  blocks.reserve(counted.by_block.size());
  for (const auto& [block, unanswered] : counted.by_block)
    blocks.push_back(std::to_string(unanswered));
  return std::format("| {} | {} | {} | {:.1f}-{:.1f} % | {} | {} |\n", name, counted.n,
                     counted.unanswered, interval.lower * 100, interval.upper * 100,
                     base::joined(blocks, ", "),
                     percentile_text(summary->p50, summary->spec.timeout));
}

std::string control_line(const Control& control, std::string_view what, std::string_view ending) {
  return std::format("- {}: asked {} times, {} answered{}.\n", what, control.asked,
                     control.answered, ending);
}

}  // namespace

std::string fenced(const std::string& text) {
  const bool ended = text.empty() || text.ends_with('\n');
  return std::format("```\n{}{}```\n", text, ended ? "" : "\n");
}

std::string headline(const BundleSubject& subject) {
  return std::format("{} over {}: {}", server_words(subject),
                     transport_in(lead(subject).record.cell), ending_words(subject));
}

std::string overview(const BundleSubject& subject) {
  const PlannedArm& arm = arm_of(subject);
  const BundledQuery& query = lead(subject);
  std::string text = std::format(
      "A client asks {} for {} {} over {} on a path of {} round trip (to the server {}, to the "
      "client {}). Query `{}` got {}. Why: {}.\n",
      server_words(subject), arm.client.question.name, arm.client.question.type,
      transport_in(query.record.cell), base::to_string(arm.rtt),
      netns::to_string(arm.path.to_server), netns::to_string(arm.path.to_client), query.record.id,
      ending_words(subject), query.record.explanation);
  if (const analysis::Finding* finding = main_finding(subject))
    text += std::format("\n**{}**: {}.\n", finding->id, finding->text);
  return text;
}

std::string expected(const BundleSubject& subject) {
  const PlannedCell& cell = cell_of(subject);
  std::string text;
  if (const analysis::Finding* finding = main_finding(subject)) {
    const analysis::FindingRule& rule = analysis::finding_rule(finding->id);
    text += std::format("{} ({})\n\n", rule.rule, rule.source);
  }
  return text + std::format("Without loss the answer takes {} round trips, {}.\n",
                            cell.floor_round_trips, base::to_string(cell.floor));
}

std::string table(const BundleSubject& subject) {
  const std::string& own = lead(subject).record.cell;
  std::string text = std::format(
      "Queries without an answer in cell `{}`, and in the cells of the run that differ from it in "
      "one setting. The interval is Wilson's, of 95 %; *by block* are the counts of the run's "
      "blocks, each of which has a kernel and servers of its own.\n\n"
      "| cell | queries | without an answer | interval | by block | median, ms |\n"
      "|---|---|---|---|---|---|\n",
      own);
  text += row(subject, own, "**this one**");
  for (const PlannedCell& cell : subject.plan.cells)
    if (const auto difference = one_difference(own, cell.name))
      text += row(subject, cell.name, *difference);
  return text;
}

std::string controls(const BundleSubject& subject) {
  const Reproduction& reproduction = subject.reproduction;
  if (!reproduction.why_none.empty() && reproduction.without_loss.asked == 0)
    return std::format("The query was not asked again alone: {}.\n", reproduction.why_none);
  std::string text =
      control_line(reproduction.without_loss, "Negative control, no packet lost", "");
  const Control& positive = reproduction.with_losses;
  text += control_line(
      positive, reproduction.losses.empty() ? "Its packets as they were" : "Only the losses below",
      std::format("; {} ended as the query did", positive.as_recorded));
  if (!reproduction.losses.empty())
    text += "\nThe fewest losses that do it:\n\n" + fenced(reproduction.losses);
  return text;
}

std::string steps(const BundleSubject& subject) {
  std::string text;
  if (!subject.reproduction.scenario.empty())
    text +=
        "`reproduce.yaml` asks the one query while the gate drops the packets named in it, and "
        "claims that it ends as it did here; nothing is left to chance:\n\n"
        "    ./reproduce.sh CHECKOUT\n\n"
        "CHECKOUT is a folder with labrun's sources; they are built if need be, which takes some "
        "minutes once and no privilege on Debian and Ubuntu with bubblewrap and mmdebstrap.\n\n";
  if (!subject.reproduction.why_none.empty())
    text += std::format("There is no scenario of the one query: {}.\n\n",
                        subject.reproduction.why_none);
  return text + std::format("The whole run, in labrun's folder:\n\n    {}\n", subject.command);
}

std::string environment(const BundleSubject& subject) {
  std::string text = std::format("- kernel: {}\n", subject.kernel);
  for (const auto& [name, version] : subject.versions)
    text += std::format("- {}: {}\n", name, version);
  text +=
      "- servers and clients are those of Debian 13 with backports; with @testing, of Debian "
      "testing\n";
  if (subject.server_version.empty()) return text;
  return text + std::format("\n{} says of itself:\n\n{}", arm_of(subject).server,
                            fenced(subject.server_version));
}

std::string ladder(const BundleSubject& subject) {
  constexpr std::size_t kMostBytes = 6000;
  const std::string& whole = lead(subject).ladder;
  if (whole.size() <= kMostBytes) return fenced(whole);
  const std::size_t cut = whole.rfind('\n', kMostBytes) + 1;
  return fenced(whole.substr(0, cut) + "...\n") + "\nThe rest is in `queries/1.txt`.\n";
}

}  // namespace harness
