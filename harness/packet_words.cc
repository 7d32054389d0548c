#include "harness/packet_words.hh"

#include "base/errors.hh"
#include "base/text.hh"

#include <format>
#include <vector>

namespace harness {
namespace {

using analysis::End;
using analysis::LossPattern;

constexpr End kEnds[]{End::kClient, End::kServer};

template <typename Word>
std::vector<std::string> words_of(const LossPattern& pattern, End from, Word word) {
  std::vector<std::string> words;
  for (const analysis::PacketName name : pattern)
    if (name.from == from) words.push_back(word(name.ordinal));
  return words;
}

// "1st, 2nd and 3rd".
std::string listed(std::vector<std::string> words) {
  if (words.size() == 1) return words.front();
  const std::string last = std::move(words.back());
  words.pop_back();
  return base::joined(words, ", ") + " and " + last;
}

}  // namespace

std::string in_words(analysis::PacketName name) {
  return std::format("{} {}", to_string(name.from), name.ordinal);
}

std::string numbers_in_words(const LossPattern& pattern) {
  std::vector<std::string> parts;
  for (const End from : kEnds) {
    const auto numbers =
        words_of(pattern, from, [](auto number) { return std::to_string(number); });
    if (!numbers.empty())
      parts.push_back(std::format("{} {}", to_string(from), base::joined(numbers, " ")));
  }
  return parts.empty() ? "nothing" : base::joined(parts, ", ");
}

std::string set_in_words(const LossPattern& pattern) {
  LABRUN_ASSERT(!pattern.empty());
  std::vector<std::string> parts;
  for (const End from : kEnds) {
    const auto numbers = words_of(pattern, from, base::ordinal_word);
    if (numbers.empty()) continue;
    parts.push_back(std::format("the {}{} of the {}", listed(numbers),
                                parts.empty() ? " packet" : "", to_string(from)));
  }
  return base::joined(parts, " and ") + (pattern.size() == 1 ? ", alone" : ", together");
}

}  // namespace harness
