#include "harness/scenario_error.hh"

#include <algorithm>
#include <format>
#include <utility>

namespace harness {
namespace {

std::string join(const std::vector<Mistake>& mistakes) {
  std::string text;
  for (const Mistake& mistake : mistakes) {
    if (!text.empty()) text += '\n';
    text += std::format("{}: {}", to_string(mistake.where), mistake.text);
  }
  return text;
}

// The same mistake may be found in several arms.
std::vector<Mistake> sorted_once(std::vector<Mistake> mistakes) {
  std::ranges::sort(mistakes);
  const auto repeated = std::ranges::unique(mistakes);
  mistakes.erase(repeated.begin(), repeated.end());
  return mistakes;
}

}  // namespace

std::string to_string(const Location& location) {
  if (location.line == 0) return location.file;
  return std::format("{}:{}:{}", location.file, location.line, location.column);
}

ScenarioError::ScenarioError(std::vector<Mistake> mistakes)
    : BadInput(join(sorted_once(mistakes))), mistakes_(sorted_once(std::move(mistakes))) {}

}  // namespace harness
