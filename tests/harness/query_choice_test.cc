#include "harness/query_choice.hh"

#include "base/temporary_folder.hh"
#include "harness/scenario_error.hh"
#include "tests/harness/hand_made_run.hh"
#include "tests/harness/scenario_text.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace harness {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// Two cells of four queries; those of do53 come before those of doq, one of each is not answered.
void write_small_run(const std::filesystem::path& folder) {
  HandMadeRun run{.plan = make_plan(parse_scenario(kSmall, "small.yaml")), .records = {}};
  const std::optional<base::Nanoseconds> times[]{40ms, std::nullopt, 60ms, 40ms};
  for (const char* cell : {"do53", "doq"}) {
    for (std::size_t index = 0; index < 4; ++index) {
      captures::QueryRecord record;
      record.cell = record.transport = cell;
      record.id = record.cell + ":" + std::to_string(index);
      record.time = times[index];
      record.outcome = record.time ? captures::Outcome::kAnswered : captures::Outcome::kNoAnswer;
      run.records.push_back(record);
    }
  }
  write_run(folder, run);
}

class QueryChoiceTest : public testing::Test {
 protected:
  std::string refusal(const std::string& words) const {
    try {
      static_cast<void>(choice_.several(words));
    } catch (const BadInput& refused) {
      return refused.what();
    }
    return "accepted";
  }

  base::TemporaryFolder folder_;
  StoredRun run_ = [this] {
    write_small_run(folder_.path());
    return StoredRun(folder_.path());
  }();
  QueryChoice choice_{run_};
};

TEST_F(QueryChoiceTest, TakesIdsAsTheyAre) {
  EXPECT_EQ(choice_.one("doq:3"), "doq:3");
  EXPECT_THAT(choice_.several("doq:3"), ElementsAre("doq:3"));
}

TEST_F(QueryChoiceTest, AQueryWithoutAnAnswerIsTheSlowest) {
  EXPECT_EQ(choice_.one("worst"), "do53:1");
  EXPECT_EQ(choice_.one("doq:worst"), "doq:1");
  EXPECT_EQ(choice_.one("doq:median"), "doq:3");
}

TEST_F(QueryChoiceTest, EquallySlowOnesHaveTheOrderOfTheFile) {
  EXPECT_THAT(choice_.several("slowest:5"),
              ElementsAre("do53:1", "doq:1", "do53:2", "doq:2", "do53:0"));
  EXPECT_THAT(choice_.several("doq:slowest:100"), ElementsAre("doq:1", "doq:2", "doq:0", "doq:3"));
}

TEST_F(QueryChoiceTest, RefusesWhatNamesNoQuery) {
  for (const char* words : {"doq:4", "dot:worst", "worst:3", "slowest", "slowest:0", "slowest:x",
                            "slowest:-1", "slowest:5:5", "dot:slowest:5", "", ":", "doq:"})
    EXPECT_THAT(refusal(words), HasSubstr("has no query")) << words;
  EXPECT_THAT(refusal("slowest:0"), HasSubstr("slowest:10"));
  EXPECT_THROW(static_cast<void>(choice_.one("slowest:2")), BadInput);
}

}  // namespace
}  // namespace harness
