#pragma once

// How single figures and rows look in the table.

#include "base/clock.hh"
#include "harness/command_line.hh"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {
struct Percentile;
}

namespace harness {

enum class Colors { kOff, kOn };
enum class Ink { kPlain, kBold, kFaint, kGood, kBad };

inline constexpr std::size_t kTableWidth = 100;

// One figure: its text, right-aligned in its column unless it is the first of a row.
struct TableCell {
  std::string text;
  Ink ink = Ink::kPlain;
};

// Columns of fixed width. A first cell that is too long for its column gets a line of its own.
class TableWriter {
 public:
  TableWriter(std::vector<std::size_t> widths, Colors colors)
      : widths_(std::move(widths)), colors_(colors) {}

  void row(const std::vector<TableCell>& cells);
  void heading(const std::vector<std::string>& titles);
  const std::string& text() const { return text_; }

 private:
  std::vector<std::size_t> widths_;
  Colors colors_;
  std::string text_;
};

std::string paint(std::string_view text, Ink ink, Colors colors);

std::string in_milliseconds(base::Nanoseconds time);  // "120.0"
std::string beyond(base::Nanoseconds timeout);        // "> 10s"

// "120.0"; "> 10s" when censored; "-" where the run is too small.
std::string percentile_text(const analysis::Percentile& percentile, base::Nanoseconds timeout);
// "119.9-121.3", a bound beyond the timeout as "> 10s"; empty where there is no value.
std::string interval_text(const analysis::Percentile& percentile, base::Nanoseconds timeout);

// "label         words wrapped at the table's width".
std::string labelled(std::string_view label, std::string_view words);

// Whether standard output is to be coloured.
Colors table_colors(ColorWhen when);
// As people would write it: relative where it lies below the current folder, which may be one that
// cannot even be named.
std::string shown_path(const std::filesystem::path& path);

}  // namespace harness
