#include "harness/server_matrix_text.hh"

#include "base/text.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <format>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace harness {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Ability::Kind;

constexpr std::string_view kFails = "FAILS";

std::vector<std::string> headings() {
  std::vector<std::string> titles{"server", "version"};
  for (const Transport transport : kAllTransports) titles.emplace_back(to_string(transport));
  titles.insert(titles.end(), {"Retry", "early data", "PQ", "tickets"});
  return titles;
}

// Whole milliseconds; what a program needs to think is less than one.
std::string surplus(const Ability& ability) {
  const auto over = ability.over_floor.value_or(base::Nanoseconds(0));
  if (over < std::chrono::milliseconds(1)) return {};
  return std::format("+{:.0f}",
                     std::round(std::chrono::duration<double, std::milli>(over).count()));
}

std::string answer_text(const Ability& ability) {
  if (ability.kind == Kind::kCannot) return "-";
  if (ability.kind == Kind::kFails) return std::string(kFails);
  const std::string more = surplus(ability);
  return more.empty() ? "floor" : more;
}

// The transports that have it: "dot, doh3+40", "all" of those that are encrypted, "-".
std::string list_text(const ServerRow& row, Aspect aspect) {
  std::vector<std::string> words;
  std::set<std::string> endings;  // of what every encrypted transport comes to
  for (const Transport transport : kAllTransports) {
    const Ability& ability = row.at(aspect, transport);
    const bool served = row.at(Aspect::kAnswers, transport).kind != Kind::kCannot;
    if (!facts(transport).encrypted || !served) continue;
    std::string ending = ability.kind == Kind::kCannot ? "-" : "";
    if (ability.kind == Kind::kFails) ending = std::format(" {}", kFails);
    if (ability.kind == Kind::kDoes && aspect == Aspect::kEarlyData) ending = surplus(ability);
    if (ability.kind != Kind::kCannot) words.push_back(std::string(to_string(transport)) + ending);
    endings.insert(std::move(ending));
  }
  if (words.empty()) return "-";
  const bool alike = endings.size() == 1 && words.size() > 1;
  return alike ? "all" + *endings.begin() : base::joined(words, ", ");
}

std::vector<std::string> texts_of(const ServerRow& row) {
  std::vector<std::string> texts{row.server, row.version};
  for (const Transport transport : kAllTransports)
    texts.push_back(answer_text(row.at(Aspect::kAnswers, transport)));
  for (const Aspect aspect : kAspects)
    if (aspect != Aspect::kAnswers) texts.push_back(list_text(row, aspect));
  return texts;
}

std::string_view words_of(Aspect aspect) {
  switch (aspect) {
    case Aspect::kAnswers:
      return "";
    case Aspect::kRetry:
      return "Retry";
    case Aspect::kEarlyData:
      return "early data";
    case Aspect::kPostQuantum:
      return kPostQuantumGroup;
    case Aspect::kTickets:
      break;
  }
  return "tickets";
}

// "knot, dot, early data: accepted, but 0 of 2 answered".
std::vector<std::string> failures_of(const ServerRow& row) {
  std::vector<std::string> lines;
  for (const Aspect aspect : kAspects)
    for (const Transport transport : kAllTransports) {
      const Ability& ability = row.at(aspect, transport);
      if (ability.kind != Kind::kFails) continue;
      const std::string_view words = words_of(aspect);
      lines.push_back(std::format("{}, {}{}{}: {}", row.server, to_string(transport),
                                  words.empty() ? "" : ", ", words, ability.reason));
    }
  return lines;
}

// Each column has what it needs, but the longest names get a line of their own.
std::vector<std::size_t> widths_of(const std::vector<std::vector<std::string>>& lines) {
  constexpr std::size_t kNameColumn = 16;
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines)
    for (std::size_t column = 0; column < line.size(); ++column)
      widths[column] = std::max(widths[column], line[column].size() + (column == 0 ? 0 : 2));
  widths.front() = std::min(widths.front(), kNameColumn);
  return widths;
}

Ink ink_of(std::string_view text) {
  if (text.contains(kFails)) return Ink::kBad;
  return text == "-" ? Ink::kFaint : Ink::kPlain;
}

Json to_json(const Ability& ability) {
  const std::string_view result = ability.kind == Kind::kCannot ? "cannot"
                                  : ability.kind == Kind::kDoes ? "does"
                                                                : "fails";
  return {
      {"result", result},
      {"reason", ability.reason.empty() ? Json(nullptr) : Json(ability.reason)},
      {"over_floor_ns", ability.over_floor ? Json(ability.over_floor->count()) : Json(nullptr)}};
}

}  // namespace

std::string render_servers(std::span<const ServerRow> rows, Colors colors) {
  std::vector<std::vector<std::string>> lines{headings()};
  for (const ServerRow& row : rows) lines.push_back(texts_of(row));
  TableWriter table(widths_of(lines), colors);
  table.heading(lines.front());
  for (std::size_t line = 1; line < lines.size(); ++line) {
    std::vector<TableCell> cells;
    for (const std::string& text : lines[line]) cells.push_back({text, ink_of(text)});
    table.row(cells);
  }
  std::string text = table.text();
  text += '\n';
  for (const ServerRow& row : rows)
    for (const std::string& failure : failures_of(row)) text += labelled(kFails, failure);
  return text +
         labelled("floor", "answers in the fewest round trips; +81: so many milliseconds more") +
         labelled("PQ", std::format("key exchange {}", kPostQuantumGroup)) +
         labelled("-", "cannot, or is not known to");
}

std::string servers_markdown(std::span<const ServerRow> rows) {
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    text += "| " + base::joined(cells, " | ") + " |\n";
  };
  line(headings());
  line(std::vector<std::string>(headings().size(), "---"));
  for (const ServerRow& row : rows) line(texts_of(row));
  for (bool first = true; const ServerRow& row : rows)
    for (const std::string& failure : failures_of(row)) {
      if (std::exchange(first, false)) text += '\n';
      text += std::format("- {}: {}\n", kFails, failure);
    }
  return text;
}

std::string servers_json(std::span<const ServerRow> rows) {
  Json servers = Json::array();
  for (const ServerRow& row : rows) {
    Json transports = Json::object();
    for (const Transport transport : kAllTransports)
      for (const Aspect aspect : kAspects)
        transports[to_string(transport)][to_string(aspect)] = to_json(row.at(aspect, transport));
    servers.push_back({{"server", row.server},
                       {"version", row.version},
                       {"keeps_promises", row.keeps_promises()},
                       {"transports", std::move(transports)}});
  }
  return Json{{"servers", std::move(servers)}}.dump(1) + "\n";
}

}  // namespace harness
