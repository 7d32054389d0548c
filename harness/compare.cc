#include "harness/compare.hh"

#include "base/errors.hh"
#include "harness/comparison.hh"
#include "harness/comparison_text.hh"
#include "harness/plan_differences.hh"
#include "harness/scenario_error.hh"
#include "harness/stored_run.hh"

#include <algorithm>
#include <format>
#include <iostream>
#include <map>
#include <ranges>
#include <set>
#include <string_view>
#include <vector>

namespace harness {
namespace {

template <typename Items>
std::string joined(const Items& items) {
  std::string text;
  for (const auto& item : items) text += std::format("{}{}", text.empty() ? "" : ", ", item);
  return text;
}

std::vector<std::string> cell_names(const Plan& plan) {
  std::vector<std::string> names;
  names.reserve(plan.cells.size());
  for (const PlannedCell& cell : plan.cells) names.push_back(cell.name);
  return names;
}

bool has_cell(const Plan& plan, const std::string& name) {
  return std::ranges::contains(plan.cells, name, &PlannedCell::name);
}

// Entries of two lists "a 1, b 2" that only one of them has, by what they begin with.
void add_version_differences(const RunFacts& a, const RunFacts& b,
                             std::vector<std::string>& differences) {
  const auto entries = [](const std::string& list) {
    std::map<std::string, std::string> versions;
    for (const auto part : std::views::split(list, std::string_view(", "))) {
      const std::string entry{std::string_view(part)};
      const std::size_t space = entry.find(' ');
      if (space != std::string::npos) versions[entry.substr(0, space)] = entry.substr(space + 1);
    }
    return versions;
  };
  auto of_a = entries(a.versions);
  auto of_b = entries(b.versions);
  for (const auto& [name, version] : of_a) of_b.try_emplace(name, "none");
  for (const auto& [name, version] : of_b) {
    const auto& other = of_a.try_emplace(name, "none").first->second;
    if (other != version) differences.push_back(std::format("{} {} / {}", name, other, version));
  }
  if (a.kernel != b.kernel)
    differences.push_back(std::format("kernel {} / {}", a.kernel, b.kernel));
}

void add_differences(const StoredRun& a, const StoredRun& b, std::vector<Remark>& remarks) {
  constexpr std::size_t kMostShown = 8;
  std::vector<std::string> differences = plan_differences(a.plan(), b.plan());
  add_version_differences(a.facts(), b.facts(), differences);
  if (differences.empty()) return;
  const std::size_t more = differences.size() - std::min(differences.size(), kMostShown);
  std::string text = joined(differences | std::views::take(kMostShown));
  if (more > 0) text += std::format(", and {} more", more);
  remarks.push_back({"differs", text + " (A / B)"});
}

void add_seed(const Plan& a, const Plan& b, std::vector<Remark>& remarks) {
  if (a.seed == b.seed) {
    remarks.push_back(
        {"seed", std::format("{} of both: the n-th packet of a query meets the same draw of the "
                             "loss in both",
                             a.seed)});
    return;
  }
  remarks.push_back(
      {"seed", std::format("{} of A, {} of B: queries are paired by block and index only, their "
                           "losses are not the same",
                           a.seed, b.seed)});
}

void add_cells_of_one(std::string_view label, const Plan& plan, const Plan& other,
                      std::vector<Remark>& remarks) {
  std::vector<std::string> names = cell_names(plan);
  std::erase_if(names, [&](const std::string& name) { return has_cell(other, name); });
  if (!names.empty()) remarks.push_back({std::string(label), joined(names)});
}

void add_incomplete(std::string_view which, const StoredRun& run, std::vector<Remark>& remarks) {
  if (run.complete()) return;
  remarks.push_back(
      {"incomplete", std::format("{} was stopped: its finished blocks are compared", which)});
}

void add_left_out(std::string_view of, const std::set<std::uint64_t>& blocks,
                  std::vector<Remark>& remarks) {
  if (blocks.empty()) return;
  remarks.push_back(
      {"INVALID", std::format("left out: block{} {}{}, which failed the fidelity proof",
                              blocks.size() == 1 ? "" : "s", joined(blocks), of)});
}

void add_old(std::string_view which, const StoredRun& run,
             PairedSide const& (PairedCells::*side)() const, const Comparison& comparison,
             std::vector<Remark>& remarks) {
  const bool is_old = std::ranges::any_of(comparison.cells, [&](const ComparedCells& cells) {
    return (cells.pairs.*side)().without_analysis > 0;
  });
  if (!is_old) return;
  remarks.push_back(
      {"findings", std::format("{} has queries without any: \"labrun analyze {}\" adds "
                               "findings and what is unexplained",
                               which, shown_path(run.path()))});
}

void add_timeouts(const StoredRun& a, const StoredRun& b, const Comparison& comparison,
                  std::vector<Remark>& remarks) {
  for (const ComparedCells& cells : comparison.cells) {
    if (timeout_of(a.plan(), cells.names.a) == timeout_of(b.plan(), cells.names.b)) continue;
    remarks.push_back(
        {"timeout", std::format("A and B waited differently long: what took longer than {} counts "
                                "as no answer on both sides",
                                base::to_string(cells.pairs.timeout()))});
    return;
  }
}

// One message with all that is wrong.
void require_pairs(const Comparison& comparison, const StoredRun& a, const StoredRun& b) {
  if (std::ranges::any_of(comparison.cells,
                          [](const ComparedCells& cells) { return !cells.pairs.pairs().empty(); }))
    return;
  std::string reason = "no query has a partner of the same block and index";
  if (!comparison.invalid_of_a.empty() || !comparison.invalid_of_b.empty())
    reason += " in a valid block";
  if (!a.complete() || !b.complete()) reason += "; a run that was stopped has few or no blocks";
  throw BadInput(std::format("labrun: nothing to compare in {} and {}: {}", a.path().string(),
                             b.path().string(), reason));
}

std::string compare_two_runs(const StoredRun& a, const StoredRun& b, Colors colors) {
  const std::vector<CellChoice> cells = cells_in_common(a.plan(), b.plan());
  if (cells.empty())
    throw BadInput(std::format("labrun: {} and {} have no cell in common: {} against {}",
                               a.path().string(), b.path().string(), joined(cell_names(a.plan())),
                               joined(cell_names(b.plan()))));
  const Comparison comparison = compare_runs(a, b, cells);
  require_pairs(comparison, a, b);
  std::vector<Remark> remarks{{"A", shown_path(a.path())}, {"B", shown_path(b.path())}};
  add_seed(a.plan(), b.plan(), remarks);
  add_differences(a, b, remarks);
  add_timeouts(a, b, comparison, remarks);
  add_cells_of_one("only in A", a.plan(), b.plan(), remarks);
  add_cells_of_one("only in B", b.plan(), a.plan(), remarks);
  add_incomplete("A", a, remarks);
  add_incomplete("B", b, remarks);
  add_left_out(" of A", comparison.invalid_of_a, remarks);
  add_left_out(" of B", comparison.invalid_of_b, remarks);
  add_old("A", a, &PairedCells::a, comparison, remarks);
  add_old("B", b, &PairedCells::b, comparison, remarks);
  std::vector<CellsToShow> shown;
  shown.reserve(comparison.cells.size());
  for (const auto& [names, pairs] : comparison.cells) shown.push_back({names.a, &pairs});
  return render_comparison(remarks, shown, colors);
}

std::string compare_two_cells(const StoredRun& run, const CellChoice& names, Colors colors) {
  for (const std::string& name : {names.a, names.b})
    if (!has_cell(run.plan(), name))
      throw BadInput(std::format("labrun: {} has no cell \"{}\"; its cells are {}",
                                 run.path().string(), name, joined(cell_names(run.plan()))));
  const Comparison comparison = compare_runs(run, run, std::vector{names});
  require_pairs(comparison, run, run);
  std::vector<Remark> remarks{{"run", shown_path(run.path())}, {"A", names.a}, {"B", names.b}};
  remarks.push_back({"pairs", "have their block and index in common, but not their losses"});
  add_timeouts(run, run, comparison, remarks);
  add_incomplete("the run", run, remarks);
  add_left_out("", comparison.invalid_of_a, remarks);
  add_old("the run", run, &PairedCells::a, comparison, remarks);
  return render_comparison(remarks, {{"", &comparison.cells.front().pairs}}, colors);
}

}  // namespace

std::string comparison_of(const CommandLine& command) {
  const Colors colors = table_colors(command.color);
  const StoredRun run(command.target);
  if (command.compared.size() == 2)
    return compare_two_cells(run, {.a = command.compared[0], .b = command.compared[1]}, colors);
  if (has_cell(run.plan(), command.compared.front()) &&
      !std::filesystem::exists(command.compared.front()))
    throw BadInput(std::format("labrun: {} is a cell of {}: name the cell to compare it with, too",
                               command.compared.front(), run.path().string()));
  return compare_two_runs(run, StoredRun(command.compared.front()), colors);
}

int compare(const CommandLine& command) {
  std::cout << comparison_of(command);
  return base::kExitSuccess;
}

}  // namespace harness
