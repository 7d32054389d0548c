#include "harness/spelling.hh"

#include <algorithm>
#include <format>
#include <utility>
#include <vector>

namespace harness {
namespace {

std::string_view last_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

}  // namespace

std::size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(other.size() + 1);
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  // Beyond this nobody mistypes a name; it also bounds the quadratic comparison.
  constexpr std::size_t kLongestWord = 64;
  if (word.empty() || word.size() > kLongestWord) return {};
  const std::size_t tolerated = std::max<std::size_t>(1, last_part(word).size() / 3);
  std::string_view best;
  std::pair<std::size_t, std::size_t> best_distance{tolerated + 1, 0};
  for (const std::string_view candidate : candidates) {
    const std::pair distance{edit_distance(last_part(word), last_part(candidate)),
                             edit_distance(word, candidate)};
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> names) {
  const std::string_view close = nearest(word, names);
  return close.empty() ? std::format("allowed: {}", join_alternatives(names))
                       : std::format("did you mean {}?", close);
}

std::string join_alternatives(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace harness
