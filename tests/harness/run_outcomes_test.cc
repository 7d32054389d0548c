// Outcomes in a line each, and what is counted of them.

#include "harness/run_outcomes.hh"

#include "base/errors.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace harness {
namespace {

using captures::Outcome;

captures::QueryRecord record(std::string cell, std::uint64_t block, Outcome outcome) {
  captures::QueryRecord made;
  made.id = cell + ":1";
  made.cell = std::move(cell);
  made.block = block;
  made.outcome = outcome;
  if (outcome == Outcome::kAnswered) made.time = base::Nanoseconds(40'000'000);
  made.findings = {"retry"};
  return made;
}

TEST(RunOutcomes, AreReadBack) {
  const captures::QueryRecord answered = record("doq", 2, Outcome::kAnswered);
  const captures::QueryRecord silent = record("doq", 3, Outcome::kNoAnswer);
  EXPECT_EQ(outcome_line(answered),
            R"({"id":"doq:1","cell":"doq","block":2,"outcome":"answered","time_ns":40000000,)"
            "\"findings\":[\"retry\"]}\n");
  const auto read = parse_outcomes(outcome_line(answered) + outcome_line(silent));
  EXPECT_EQ(read, (std::vector{answered, silent}));
  EXPECT_TRUE(parse_outcomes("").empty());
}

TEST(RunOutcomes, ThatAreMalformedAreNamedByTheirLine) {
  const std::string good = outcome_line(record("doq", 0, Outcome::kAnswered));
  for (const std::string bad :
       {"{}", "x", R"({"id":"a","cell":"a","block":0,"outcome":"lost","time_ns":1,"findings":[]})",
        R"({"id":"a","cell":"a","block":0,"outcome":"no_answer","time_ns":1,"findings":[]})"}) {
    try {
      parse_outcomes(good + bad + "\n");
      ADD_FAILURE() << bad;
    } catch (const base::LabError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("line 2")) << bad;
    }
  }
}

TEST(RunOutcomes, AreCountedByCellAndBlock) {
  const std::vector<captures::QueryRecord> records{
      record("doq", 0, Outcome::kAnswered), record("doq", 1, Outcome::kNoAnswer),
      record("doq", 1, Outcome::kFailed), record("dot", 0, Outcome::kAnswered)};
  const auto cells = count_outcomes(records);
  EXPECT_EQ(cells.at("doq").n, 3U);
  EXPECT_EQ(cells.at("doq").unanswered, 2U);
  EXPECT_EQ(cells.at("doq").by_block, (std::map<std::uint64_t, std::uint64_t>{{0, 0}, {1, 2}}));
  EXPECT_EQ(cells.at("dot").unanswered, 0U);
}

}  // namespace
}  // namespace harness
