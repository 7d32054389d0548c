#include "harness/query_choice.hh"

#include "harness/scenario_error.hh"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <format>
#include <utility>

namespace harness {
namespace {

// What stands before and behind the last colon: "retry=always/doq" and "117".
std::pair<std::string_view, std::string_view> split_last(std::string_view words) {
  const std::size_t colon = words.rfind(':');
  if (colon == std::string_view::npos) return {{}, words};
  return {words.substr(0, colon), words.substr(colon + 1)};
}

std::optional<std::size_t> parse_count(std::string_view text) {
  std::size_t count = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || rest != text.data() + text.size() || count == 0) return std::nullopt;
  return count;
}

}  // namespace

QueryChoice::QueryChoice(const StoredRun& run) : run_(run) {
  RecordReader reader(run);
  for (auto records = reader.next_block(); !records.empty(); records = reader.next_block())
    for (captures::QueryRecord& record : records)
      candidates_.push_back({std::move(record.id), std::move(record.cell), record.time});
}

bool QueryChoice::is_faster(const Candidate* left, const Candidate* right) {
  if (!left->time || !right->time) return left->time.has_value() && !right->time.has_value();
  return *left->time < *right->time;
}

std::vector<const QueryChoice::Candidate*> QueryChoice::of_cell(std::string_view cell) const {
  std::vector<const Candidate*> fitting;
  for (const Candidate& candidate : candidates_)
    if (cell.empty() || candidate.cell == cell) fitting.push_back(&candidate);
  return fitting;
}

std::vector<std::string> QueryChoice::slowest(std::string_view cell, std::size_t count) const {
  auto fitting = of_cell(cell);
  std::ranges::stable_sort(fitting, [](const Candidate* left, const Candidate* right) {
    return is_faster(right, left);
  });
  std::vector<std::string> ids;
  for (const Candidate* candidate : fitting)
    if (ids.size() < count) ids.push_back(candidate->id);
  return ids;
}

std::optional<std::string> QueryChoice::median(std::string_view cell) const {
  auto fitting = of_cell(cell);
  if (fitting.empty()) return std::nullopt;
  std::ranges::stable_sort(fitting, is_faster);
  return fitting[(fitting.size() - 1) / 2]->id;
}

std::string QueryChoice::one(const std::string& words) const {
  const auto [cell, word] = split_last(words);
  std::optional<std::string> id;
  if (word == "median") {
    id = median(cell);
  } else if (word == "worst") {
    const auto worst = slowest(cell, 1);
    if (!worst.empty()) id = worst.front();
  } else if (std::ranges::contains(candidates_, words, &Candidate::id)) {
    id = words;
  }
  if (!id) refuse(words, "");
  return *id;
}

std::vector<std::string> QueryChoice::several(const std::string& words) const {
  const auto [before, number] = split_last(words);
  const auto [cell, word] = split_last(before);
  if (word != "slowest") return {one(words)};
  const auto count = parse_count(number);
  if (!count) refuse(words, ", slowest:10");
  auto ids = slowest(cell, *count);
  if (ids.empty()) refuse(words, ", slowest:10");
  return ids;
}

void QueryChoice::refuse(const std::string& words, std::string_view more) const {
  std::string cells;
  for (const PlannedCell& cell : run_.plan().cells)
    cells += std::format("{}{}", cells.empty() ? "" : ", ", cell.name);
  const std::string& first = run_.plan().cells.front().name;
  throw BadInput(std::format(
      "labrun: {} has no query \"{}\"; its cells are {}, its queries {}:0 and so on, or worst, "
      "median{}, {}:worst{}",
      run_.path().string(), words, cells, first, more, first,
      run_.complete() ? ""
                      : "; the run was stopped, so it has the queries of finished blocks only"));
}

}  // namespace harness
