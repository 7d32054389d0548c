#include "harness/table_text.hh"

#include "analysis/percentile.hh"
#include "base/units.hh"

#include <format>
#include <ranges>
#include <unistd.h>
#include <utility>

namespace harness {
namespace {

// SGR parameters of ECMA-48.
std::string_view code_of(Ink ink) {
  switch (ink) {
    case Ink::kPlain:
      return "";
    case Ink::kBold:
      return "1";
    case Ink::kFaint:
      return "2";
    case Ink::kGood:
      return "32";
    case Ink::kBad:
      return "31";
  }
  return "";
}

void trim_end(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
}

}  // namespace

std::string paint(std::string_view text, Ink ink, Colors colors) {
  if (colors == Colors::kOff || ink == Ink::kPlain || text.empty()) return std::string(text);
  return std::format("\x1b[{}m{}\x1b[0m", code_of(ink), text);
}

void TableWriter::row(const std::vector<TableCell>& cells) {
  std::string line;
  for (std::size_t column = 0; column < cells.size(); ++column) {
    const auto& [text, ink] = cells[column];
    const std::size_t width = widths_[column];
    if (column == 0 && text.size() > width) {
      text_ += paint(text, ink, colors_) + '\n';
      line += std::string(width, ' ');
      continue;
    }
    // Padding goes outside the colour, so that trailing spaces can be removed.
    const std::string padding(width - std::min(width, text.size()), ' ');
    line += column == 0 ? paint(text, ink, colors_) + padding : padding + paint(text, ink, colors_);
  }
  trim_end(line);
  if (!line.empty()) text_ += line + '\n';
}

void TableWriter::heading(const std::vector<std::string>& titles) {
  std::vector<TableCell> cells;
  cells.reserve(titles.size());
  for (const std::string& title : titles) cells.push_back({title, Ink::kBold});
  row(cells);
}

std::string in_milliseconds(base::Nanoseconds time) {
  return std::format("{:.1f}", std::chrono::duration<double, std::milli>(time).count());
}

std::string beyond(base::Nanoseconds timeout) {
  return std::format("> {}", base::to_string(timeout));
}

std::string percentile_text(const analysis::Percentile& percentile, base::Nanoseconds timeout) {
  if (percentile.value) return in_milliseconds(*percentile.value);
  return percentile.censored ? beyond(timeout) : "-";
}

std::string interval_text(const analysis::Percentile& percentile, base::Nanoseconds timeout) {
  if (!percentile.value && !percentile.censored) return {};
  // An empty lower bound of a value: too few samples below it. Of a censored one: beyond as well.
  std::string lower = percentile.censored ? beyond(timeout) : "";
  if (percentile.lower) lower = in_milliseconds(*percentile.lower);
  const std::string upper = percentile.upper ? in_milliseconds(*percentile.upper) : beyond(timeout);
  return lower == upper ? lower : std::format("{}-{}", lower, upper);
}

std::string labelled(std::string_view label, std::string_view words) {
  constexpr std::size_t kIndent = 14;
  std::string text = std::format("{:<{}}", label, kIndent);
  std::size_t column = kIndent;
  for (const auto part : std::views::split(words, ' ')) {
    const std::string_view word(part);
    if (column > kIndent && column + 1 + word.size() > kTableWidth) {
      text += '\n' + std::string(kIndent, ' ');
      column = kIndent;
    }
    if (column > kIndent) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text + '\n';
}

Colors table_colors(ColorWhen when) {
  const bool on =
      when == ColorWhen::kAlways || (when == ColorWhen::kAuto && ::isatty(STDOUT_FILENO) != 0);
  return on ? Colors::kOn : Colors::kOff;
}

std::string shown_path(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::path relative =
      path.lexically_relative(std::filesystem::current_path(unknown));
  return unknown || relative.empty() || relative.native().starts_with("..") ? path.string()
                                                                            : relative.string();
}

}  // namespace harness
