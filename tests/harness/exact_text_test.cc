#include "harness/exact_text.hh"

#include "tests/harness/golden.hh"
#include "tests/harness/walked_cell.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <format>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace harness {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string text_of(const ExactCell& cell) {
  return render_exact(std::vector{cell}, Colors::kOff);
}

// Figures of the row of each loss, split where two spaces are.
std::map<std::string, std::vector<std::string>> rows_of(const std::string& text) {
  std::map<std::string, std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> figures;
    for (std::size_t at = line.find_first_not_of(' '); at != std::string::npos;
         at = line.find_first_not_of(' ', line.find("  ", at))) {
      const std::size_t end = line.find("  ", at);
      figures.push_back(line.substr(at, end - at));
      if (end == std::string::npos) break;
    }
    if (figures.size() == 8) rows[figures[0]] = {figures.begin() + 1, figures.end()};
  }
  return rows;
}

TEST(ExactText, IsATableForEachCell) {
  WalkedCell other = walked_cell(1, 0.055);
  other.cell.planned.name = "retry=always/doq";
  expect_golden("exact.txt",
                render_exact(std::vector{walked_cell(2).cell, other.cell}, Colors::kOff));
}

TEST(ExactText, FiguresAreExactWhereEveryPatternWasWalked) {
  const auto rows = rows_of(text_of(walked_cell(6).cell));
  EXPECT_THAT(rows.at("loss"),
              ElementsAre("p50", "p90", "p95", "p99", "p99.9", "never", "unknown"));
  // 64 % at once, 23 % after a second, 7 % after half a second more.
  EXPECT_THAT(rows.at("20.0%"),
              ElementsAre("40.2", "1540.2", "never", "never", "never", "6.3%", "0%"));
}

TEST(ExactText, BoundsSayWhatMoreLossesMayChange) {
  const auto rows = rows_of(text_of(walked_cell(1, 0.055).cell));
  // Nine of ten lookups lose nothing, up to the share that is unknown.
  const std::string beyond = "≥ 1040.2";
  EXPECT_THAT(rows.at("5.5%"),
              ElementsAre("40.2", "40.2-1040.2", "1040.2", beyond, beyond, "≤ 1.1%", "1.1%"));
  EXPECT_EQ(rows_of(text_of(walked_cell(2).cell)).at("20.0%")[5], "2.0-6.3%")
      << "a share of lookups is known to be never answered";
}

TEST(ExactText, UnknownPatternsMayAllBeAnsweredAtTheFloor) {
  WalkedCell walked = walked_cell(0, 0.3);
  // 49 % lose nothing; the rest is unknown.
  EXPECT_THAT(rows_of(text_of(walked.cell)).at("30.0%")[0], "≥ 40.0");
}

TEST(ExactText, NeverIsNothingWhereAllIsKnown) {
  WalkedCell walked = walked_cell(0);
  walked.cell.leaves.at(0).leaf.counts = {};
  EXPECT_EQ(rows_of(text_of(walked.cell)).at("20.0%")[5], "0%");
}

TEST(ExactText, OwnRateHasARowWhateverItIs) {
  ExactCell cell = walked_cell(2).cell;
  EXPECT_EQ(rows_of(text_of(cell)).size(), 8U) << "2 % is a row anyway";
  cell.rates = {.client = 0.01, .server = 0.05};
  EXPECT_TRUE(rows_of(text_of(cell)).contains("1.0% / 5.0%"));
  cell.rates = {};
  EXPECT_EQ(rows_of(text_of(cell)).size(), 8U) << "without loss there is nothing to say";
}

TEST(ExactText, OwnRateStandsOut) {
  const std::string text = render_exact(std::vector{walked_cell(2).cell}, Colors::kOn);
  EXPECT_THAT(text, HasSubstr("\x1b[1m        2.0%  "));
  EXPECT_THAT(text, Not(HasSubstr("\x1b[1m        5.0%")));
}

TEST(ExactText, ColumnsAreAligned) {
  std::set<std::ptrdiff_t> widths;
  std::istringstream lines(text_of(walked_cell(1, 0.055).cell));
  for (std::string line; std::getline(lines, line);)
    if (line.contains('%') || line.contains("unknown  "))
      widths.insert(std::ranges::count_if(
          line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
  EXPECT_THAT(widths, ElementsAre(117));
}

TEST(ExactText, CountsWhatWasWalked) {
  ExactCell cell = walked_cell(2).cell;
  EXPECT_THAT(text_of(cell), HasSubstr("do53: 40.2 ms without loss; 2 packets can matter to it; "
                                       "7 loss patterns\n"));
  cell.faults = {fault_of("c1"), fault_of("s1"), fault_of("c2")};
  EXPECT_THAT(text_of(cell), HasSubstr("7 loss patterns, 3 FAULTS\n"));
}

TEST(FaultText, HasBothPacketLists) {
  ExactCell cell = walked_cell(1).cell;
  EXPECT_THAT(render_faults(std::vector{cell}), IsEmpty());
  cell.faults = {fault_of("c1")};
  EXPECT_EQ(render_faults(std::vector{cell}),
            "determinism fault in do53, c1 dropped, 3 attempts: s1 came 5 ms later\n"
            "  parent c1       0.000 ms DNS query\n"
            "  parent s1      20.100 ms DNS answer\n"
            "  child  c1       0.000 ms DNS query (dropped)\n"
            "  child  s1      25.100 ms DNS answer\n");
}

TEST(FaultText, ShowsTwoAndSaysHowMany) {
  ExactCell cell = walked_cell(1).cell;
  cell.faults = {fault_of("c1"), fault_of("s1")};
  EXPECT_THAT(render_faults(std::vector{cell}), Not(HasSubstr("follow")));
  cell.faults.push_back(fault_of("c2"));
  const std::string text = render_faults(std::vector{cell});
  EXPECT_THAT(
      text, testing::StartsWith("do53: 2 of 3 determinism faults follow, all are in exact.json\n"));
  EXPECT_THAT(text, HasSubstr("s1 dropped"));
  EXPECT_THAT(text, Not(HasSubstr("c2 dropped")));
}

FittedCell fitted(double p_value, double unvisited_p_value) {
  FittedCell cell{.name = "do53", .samples = 300, .fit = {}};
  cell.fit.bins = {{.low = 40'200us, .high = 40'200us, .expected = 288.12, .observed = 290},
                   {.low = 1040'200us, .high = 1540'200us, .expected = 11, .observed = 8},
                   {.low = 1540'200us, .high = {}, .expected = 0.5, .observed = 1},
                   {.low = {}, .high = {}, .expected = 0.3, .observed = 0},
                   {.low = {}, .high = {}, .visited = false, .expected = 0.13, .observed = 1}};
  cell.fit.chi_square = 1.5;
  cell.fit.degrees = 4;
  cell.fit.p_value = p_value;
  cell.fit.unvisited_observed = 1;
  cell.fit.unvisited_p_value = unvisited_p_value;
  return cell;
}

TEST(FitText, HasEachBin) {
  EXPECT_EQ(render_fit(std::vector{fitted(0.5, 0.125)}, Colors::kOff),
            "do53: 300 samples agree with the exact distribution: chi-square 1.5 with 4 degrees "
            "of freedom, p = 0.500; 1 at no time that was walked, p = 0.125\n"
            "                          40.2  expected     288.1  found    290\n"
            "                 1040.2-1540.2  expected      11.0  found      8\n"
            "              1540.2 and later  expected       0.5  found      1\n"
            "                         never  expected       0.3  found      0\n"
            "    at no time that was walked  expected       0.1  found      1\n");
}

TEST(FitText, SaysWhereEitherPartDisagrees) {
  for (const FittedCell& cell : {fitted(0.0001, 0.5), fitted(0.5, 0.0001)})
    EXPECT_THAT(render_fit(std::vector{cell}, Colors::kOff),
                HasSubstr("300 samples DISAGREE with the exact distribution"));
}

}  // namespace
}  // namespace harness
