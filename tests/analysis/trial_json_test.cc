#include "analysis/trial_json.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace analysis {
namespace {

using testing::HasSubstr;

Trial answered() {
  return {.pattern = {{.from = End::kClient, .ordinal = 1}, {.from = End::kServer, .ordinal = 2}},
          .packets = {{.name = {.from = End::kClient, .ordinal = 1},
                       .at = base::Nanoseconds(5),
                       .bytes = 60,
                       .meaning = "SYN",
                       .signature = "syn",
                       .dropped = true,
                       .completes_answer = false},
                      {.name = {.from = End::kServer, .ordinal = 3},
                       .at = base::Nanoseconds(1'000'000'007),
                       .bytes = 1500,
                       .meaning = "answer \"a\"",
                       .signature = "dns-answer",
                       .dropped = false,
                       .completes_answer = true}},
          .outcome = captures::Outcome::kAnswered,
          .time = base::Nanoseconds(1'010'000'007)};
}

constexpr std::string_view kLine =
    R"({"pattern":["c1","s2"],"outcome":"answered","time_ns":1010000007,"packets":[)"
    R"({"name":"c1","at_ns":5,"bytes":60,"meaning":"SYN","signature":"syn","dropped":true,)"
    R"("completes_answer":false},)"
    R"({"name":"s3","at_ns":1000000007,"bytes":1500,"meaning":"answer \"a\"",)"
    R"("signature":"dns-answer","dropped":false,"completes_answer":true}]})";

std::string with(std::string_view was, std::string_view is) {
  std::string line(kLine);
  return line.replace(line.find(was), was.size(), is);
}

TEST(TrialJson, IsOneLineWithItsKeysInOrder) {
  EXPECT_EQ(to_json_line(answered()), kLine);
}

TEST(TrialJson, IsReadAsItWasWritten) {
  Trial trial = answered();
  EXPECT_EQ(parse_trial(to_json_line(trial)), trial);
  trial.time.reset();
  for (const auto outcome : {captures::Outcome::kNoAnswer, captures::Outcome::kFailed}) {
    trial.outcome = outcome;
    EXPECT_EQ(parse_trial(to_json_line(trial)), trial);
  }
  EXPECT_EQ(parse_trial(to_json_line(Trial{})), Trial{});
}

TEST(TrialJson, RejectsWhatIsNoTrialAndSaysWhere) {
  const std::vector<std::pair<std::string, std::string>> complaints{
      {"{", "not JSON"},
      {"[]", "not a JSON object"},
      {with("\"s2\"", "\"x2\""), "pattern: no packet's name: \"x2\""},
      {with("\"s2\"", "\"c1\""), "pattern: not sorted"},
      {with("\"c1\",\"s2\"", "\"s2\",\"c1\""), "pattern: not sorted"},
      {with("\"answered\"", "\"perhaps\""), "outcome: no known outcome"},
      {with("\"answered\"", "\"failed\""), "time_ns"},
      {with("1010000007", "null"), "time_ns"},
      {with("\"s3\"", "\"s0\""), "name: no packet's name"},
      {with("\"bytes\":60", "\"bytes\":-60"), "bytes: not an integer in range"},
      {with("\"dropped\":true", "\"dropped\":1"), "dropped: not a boolean"},
      {with("\"signature\":\"syn\",", ""), "signature: missing"},
  };
  for (const auto& [line, complaint] : complaints) {
    const auto trial = parse_trial(line);
    ASSERT_FALSE(trial) << line;
    EXPECT_THAT(trial.error(), HasSubstr(complaint)) << line;
  }
}

}  // namespace
}  // namespace analysis
