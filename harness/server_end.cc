#include "harness/server_end.hh"

#include "base/text.hh"

#include <algorithm>
#include <cstddef>
#include <format>
#include <ranges>
#include <string_view>

namespace harness {
namespace {

using nlohmann::json;

// For one line, where a log may be long, and a line of it without end.
std::string last_words(std::string_view said) {
  constexpr std::size_t kMostBytes = 300;
  constexpr std::size_t kLongestWord = 60;
  std::string text;
  if (said.size() > kMostBytes) {
    said.remove_prefix(said.size() - kMostBytes);
    text = "...";
  }
  std::string whole(said);
  std::ranges::replace(whole, '\n', ' ');
  for (const auto part : std::views::split(whole, ' ')) {
    const std::string_view word(part);
    if (word.empty()) continue;
    if (!text.empty()) text += ' ';
    text += word.substr(0, kLongestWord);
    if (word.size() > kLongestWord) text += "...";
  }
  return text;
}

// Ends that are alike.
struct Kind {
  std::string program;
  std::string how;
  const json* first = nullptr;
  std::size_t count = 0;
};

std::string line_of(const Kind& kind) {
  const json& query = kind.first->at("query");
  const auto block = kind.first->at("block").get<std::uint64_t>();
  const std::string where = query.is_null() ? std::format("in block {}", block)
                                            : std::format("at {}", query.get<std::string>());
  const std::string times = kind.count == 1 ? "" : std::format("{} times, first ", kind.count);
  const auto said = kind.first->at("said").get<std::string>();
  return std::format("{} {} ({}{}); it said: {}; see {}", kind.program, kind.how, times, where,
                     last_words(said), kind.first->at("log").get<std::string>());
}

}  // namespace

std::string program_of(const ServerEnd& end) {
  return end.arm.empty() ? end.program : std::format("{} of {}", end.program, end.arm);
}

std::string sentence_of(const ServerEnd& end) {
  return std::format("{} {}; it said: {}", program_of(end), end.how, last_words(end.said));
}

json to_json(const ServerEnd& end) {
  return {{"arm", end.arm},
          {"program", end.program},
          {"query", end.query.empty() ? json(nullptr) : json(end.query)},
          {"how", end.how},
          {"log", end.log},
          {"said", end.said}};
}

std::string server_ends_text(const json& ends) {
  std::vector<Kind> kinds;
  for (const json& end : ends) {
    const std::string program = program_of({.arm = end.at("arm").get<std::string>(),
                                            .program = end.at("program").get<std::string>(),
                                            .how = {},
                                            .log = {}});
    const auto how = end.at("how").get<std::string>();
    auto kind = std::ranges::find_if(
        kinds, [&](const Kind& known) { return known.program == program && known.how == how; });
    if (kind == kinds.end())
      kind = kinds.insert(kinds.end(), {.program = program, .how = how, .first = &end});
    ++kind->count;
  }
  std::vector<std::string> lines;
  lines.reserve(kinds.size());
  for (const Kind& kind : kinds) lines.push_back(line_of(kind));
  return base::joined(lines, "\n");
}

}  // namespace harness
