#include "harness/loss_map.hh"

#include "tests/harness/golden.hh"
#include "tests/harness/walked_cell.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <format>
#include <string>

namespace harness {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

LossMap map_of(const WalkedCell& walked) {
  return map_of(walked.cell, walked.trials);
}

std::vector<std::string> pairs_of(const LossMap& map) {
  std::vector<std::string> pairs;
  for (const MappedPair& pair : map.pairs)
    pairs.push_back(
        std::format("{}: {}", to_string(pair.packets),
                    pair.cost.time ? in_milliseconds(*pair.cost.time) : std::string("never")));
  return pairs;
}

TEST(LossMap, HasWhatEachPacketIsWorth) {
  const LossMap map = map_of(walked_cell(2));
  EXPECT_EQ(map.cell, "do53");
  EXPECT_EQ(map.lossless, 40'200us);
  EXPECT_EQ(map.timeout, 2s);
  EXPECT_FALSE(map.late);
  EXPECT_EQ(map.faults, 0U);
  ASSERT_EQ(map.packets.size(), 3U);
  EXPECT_EQ(map.packets[0].alone, MappedCost{.time = 1040'200us});
  EXPECT_EQ(map.packets[1].packet.meaning, "DNS answer");
  EXPECT_EQ(map.packets[1].alone, MappedCost{.time = 1040'200us});
  EXPECT_EQ(to_string(map.packets[2].packet.name), "c2");
  EXPECT_FALSE(map.packets[2].alone) << "nothing that comes behind the answer matters to it";
}

TEST(LossMap, HasPairsWorstFirst) {
  WalkedCell walked = walked_cell(2);
  for (WalkedLeaf& walked_leaf : walked.cell.leaves)
    if (walked_leaf.pattern == pattern_of("c1 s1")) walked_leaf.leaf.time = 1600ms;
  const LossMap map = map_of(walked);
  EXPECT_THAT(pairs_of(map),
              ElementsAre("s1 s2: never", "c1 s1: 1600.0", "c1 c2: 1540.2", "c2 s1: 1540.2"));
  EXPECT_THAT(map.pairs[3].meanings, ElementsAre("DNS query", "DNS answer"));
  EXPECT_THAT(map_of(walked_cell(1)).pairs, IsEmpty());
  EXPECT_THAT(map_of(walked_cell(3)).pairs, testing::SizeIs(4)) << "three losses are no pair";
}

TEST(LossMap, PairsThatNobodyRanHaveNoMeanings) {
  const WalkedCell walked = walked_cell(2);
  EXPECT_THAT(map_of(walked.cell, {}).pairs.at(0).meanings, ElementsAre("", ""));
}

TEST(LossMap, IsPrinted) {
  expect_golden("map.txt", render_map(map_of(walked_cell(2)), Colors::kOff));
}

TEST(LossMap, SaysNothingWhereALossCostsNothing) {
  WalkedCell walked = walked_cell(1);
  walked.cell.leaves[1].leaf.time = 40'699us;
  EXPECT_THAT(render_map(map_of(walked), Colors::kOff),
              HasSubstr("    0.000  client --> c1        nothing  DNS query\n"));
  walked.cell.leaves[1].leaf.time = 40'700us;
  EXPECT_THAT(render_map(map_of(walked), Colors::kOff), HasSubstr("c1        +0.5 ms  DNS query"));
  walked.cell.leaves[1].leaf.time = 39ms;
  EXPECT_THAT(render_map(map_of(walked), Colors::kOff), HasSubstr("c1        -1.2 ms  DNS query"));
  walked.cell.leaves[1].leaf.time.reset();
  EXPECT_THAT(render_map(map_of(walked), Colors::kOff), HasSubstr("c1          never  DNS query"));
}

TEST(LossMap, FaultsAreUnknownRatherThanTooLate) {
  WalkedCell walked = walked_cell(1);
  std::erase_if(walked.cell.leaves,
                [](const WalkedLeaf& leaf) { return leaf.pattern == pattern_of("s1"); });
  walked.cell.faults = {fault_of("s1"), fault_of("c1 s1")};
  const LossMap map = map_of(walked);
  EXPECT_EQ(map.faults, 2U);
  const std::string text = render_map(map, Colors::kOff);
  EXPECT_THAT(text, HasSubstr("; 2 patterns did not repeat themselves and are left out; each"));
  EXPECT_THAT(text, HasSubstr("<-- server s1        unknown  DNS answer\n"));
  EXPECT_THAT(text, HasSubstr("client --> c2       too late  thanks\n"));
}

TEST(LossMap, ShowsTheEightWorstPairs) {
  LossMap map = map_of(walked_cell(2));
  map.pairs = std::vector(20, map.pairs[0]);
  const std::string text = render_map(map, Colors::kOff);
  std::size_t shown = 0;
  for (std::size_t at = 0; (at = text.find("; s2 DNS answer", at)) != std::string::npos; ++at)
    ++shown;
  EXPECT_EQ(shown, 8U);
}

TEST(LossMap, MayBeOfALookupThatIsNeverAnswered) {
  WalkedCell walked = walked_cell(0);
  walked.cell.lossless.time.reset();
  EXPECT_THAT(
      render_map(map_of(walked), Colors::kOff),
      testing::StartsWith("do53: not answered even without loss; each packet lost alone\n"));
}

TEST(LossMap, IsColouredWhereAPersonLooks) {
  const std::string text = render_map(map_of(walked_cell(2)), Colors::kOn);
  EXPECT_THAT(text, testing::StartsWith("\x1b[1mdo53\x1b[0m: 40.2 ms"));
  EXPECT_THAT(text, HasSubstr("c2   \x1b[2m    too late  thanks\x1b[0m\n"));
  EXPECT_THAT(render_map(map_of(walked_cell(2)), Colors::kOff), Not(HasSubstr("\x1b")));
}

TEST(DelayMap, HasWhatLatenessCosts) {
  analysis::Trial late = lookup({});
  late.pattern = pattern_of("s1");
  late.time = 45'200us;
  analysis::Trial first_late = lookup({});
  first_late.pattern = pattern_of("c1");
  first_late.time.reset();
  PlannedArm arm;
  arm.client.timeout = 3s;
  const PlannedCell cell{.name = "do53"};
  const LossMap map = map_of_delays(cell, arm, 5ms, std::vector{lookup({}), first_late, late});
  EXPECT_EQ(map.timeout, 3s);
  EXPECT_EQ(map.late, 5ms);
  EXPECT_EQ(map.packets.at(0).alone, MappedCost{});
  EXPECT_EQ(map.packets.at(1).alone, MappedCost{.time = 45'200us});
  EXPECT_FALSE(map.packets.at(2).alone);
  const std::string text = render_map(map, Colors::kOff);
  EXPECT_THAT(text, HasSubstr("; each packet late by 5ms\n"));
  EXPECT_THAT(text, HasSubstr("s1        +5.0 ms"));
  EXPECT_THAT(text, Not(HasSubstr("pairs")));
  EXPECT_THAT(map_of_delays(cell, arm, 5ms, {}).packets, IsEmpty());
}

TEST(LossMap, AsJsonHasTimesAndWhatTheyAdd) {
  WalkedCell walked = walked_cell(2);
  const json all = json::parse(maps_to_json(std::vector{map_of(walked)}, walk_facts()));
  EXPECT_EQ(all["scenario"], "exact2pct");
  const json& cell = all["cells"]["do53"];
  EXPECT_EQ(cell["lossless_ns"], 40'200'000);
  EXPECT_EQ(cell["timeout_ns"], 2'000'000'000);
  EXPECT_TRUE(cell["late_ns"].is_null());
  EXPECT_EQ(cell["packets"][0], json::parse(R"({"packet": "c1", "at_ns": 0, "bytes": 60,
      "meaning": "DNS query", "alone": {"time_ns": 1040200000, "added_ns": 1000000000},
      "unknown": false})"));
  EXPECT_TRUE(cell["packets"][2]["alone"].is_null());
  EXPECT_EQ(cell["pairs"][0], json::parse(R"({"packets": ["s1", "s2"],
      "meanings": ["DNS answer", "DNS answer"], "cost": {"time_ns": null, "added_ns": null}})"));
}

}  // namespace
}  // namespace harness
