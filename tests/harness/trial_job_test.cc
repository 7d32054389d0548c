#include "harness/trial_job.hh"

#include "base/errors.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace harness {
namespace {

using namespace std::chrono_literals;
using analysis::End;
using captures::Verdict;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const analysis::PacketName kThird{.from = End::kClient, .ordinal = 3};
const analysis::PacketName kReply{.from = End::kServer, .ordinal = 1};

TrialJob scripted() {
  TrialJob job;
  job.kind = TrialJob::Kind::kScripts;
  job.scripts = {{{.packet = kThird, .verdict = Verdict::kDrop},
                  {.packet = kReply, .verdict = Verdict::kDelay, .by = 2ms}},
                 {},
                 {{.packet = kReply, .verdict = Verdict::kReorder}}};
  return job;
}

// What a file that says `value` at a place is taken for.
std::string complaint(const char* pointer, const json& value) {
  json object = json::parse(to_json(scripted()));
  object[json::json_pointer(pointer)] = value;
  try {
    static_cast<void>(parse_trial_job(object.dump()));
  } catch (const base::LabError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TrialJob, EveryKindIsReadAsItWasWritten) {
  TrialJob walk;
  walk.max_drops = 3;
  walk.share = 7;
  walk.shares = 8;
  TrialJob delays;
  delays.kind = TrialJob::Kind::kDelays;
  delays.late = 1500us;
  TrialJob minimise;
  minimise.kind = TrialJob::Kind::kMinimise;
  minimise.pattern = {kThird, kReply};
  minimise.slower_than = 250ms;
  TrialJob never = minimise;
  never.slower_than.reset();
  for (const TrialJob& job : {TrialJob{}, walk, delays, scripted(), minimise, never})
    EXPECT_EQ(parse_trial_job(to_json(job)), job) << to_json(job);
}

TEST(TrialJob, KindsAreWords) {
  const std::vector<std::pair<TrialJob::Kind, std::string>> words{
      {TrialJob::Kind::kWalk, "walk"},
      {TrialJob::Kind::kDelays, "delays"},
      {TrialJob::Kind::kScripts, "scripts"},
      {TrialJob::Kind::kMinimise, "minimise"}};
  for (const auto& [kind, word] : words) {
    TrialJob job;
    job.kind = kind;
    EXPECT_EQ(json::parse(to_json(job))["kind"], word);
  }
}

TEST(TrialJob, NonsenseIsNamed) {
  EXPECT_EQ(complaint("/max_drops", 2), "accepted");
  EXPECT_THAT(complaint("/kind", "wander"), AllOf(HasSubstr("job.json"), HasSubstr("kind: no")));
  EXPECT_THAT(complaint("/kind", 1), HasSubstr("kind: not a string"));
  EXPECT_THAT(complaint("/kind", nullptr), HasSubstr("kind: missing"));
  EXPECT_THAT(complaint("/max_drops", -1), HasSubstr("max_drops: not an integer in range"));
  EXPECT_THAT(complaint("/max_drops", 1e300), HasSubstr("max_drops: not an integer in range"));
  EXPECT_THAT(complaint("/share", 1), HasSubstr("share: not one of `shares`"));
  EXPECT_THAT(complaint("/shares", 0), HasSubstr("share: not one of `shares`"));
  EXPECT_THAT(complaint("/late_ns", "2ms"), HasSubstr("late_ns: not an integer in range"));
  EXPECT_THAT(complaint("/pattern", {"c1", "x2"}), HasSubstr("pattern: it names a packet"));
  EXPECT_THAT(complaint("/pattern", "c1"), HasSubstr("pattern: not an array"));
  EXPECT_THAT(complaint("/slower_than_ns", 0.5), HasSubstr("slower_than_ns: not an integer"));
  EXPECT_THAT(complaint("/scripts", {1}), HasSubstr("scripts: not an object"));
  EXPECT_THAT(complaint("/scripts/0/0/verdict", 5), HasSubstr("scripts.verdict: no known verdict"));
  EXPECT_THAT(complaint("/scripts/0/0/verdict", -1), HasSubstr("scripts.verdict: not an integer"));
  EXPECT_THAT(complaint("/scripts/0/0/packet", "c0"), HasSubstr("scripts.packet: it names"));
  EXPECT_THAT(complaint("/scripts/0/1/by_ns", nullptr), HasSubstr("scripts.by_ns: missing"));
}

TEST(TrialJob, WhatIsNoJobIsALabError) {
  for (const char* text : {"", "{", "[]", "null", "\"walk\"", R"({"kind":"walk"})"})
    EXPECT_THROW(static_cast<void>(parse_trial_job(text)), base::LabError) << text;
  json object = json::parse(to_json(TrialJob{}));
  object.erase("scripts");
  EXPECT_THROW(static_cast<void>(parse_trial_job(object.dump())), base::LabError);
}

}  // namespace
}  // namespace harness
