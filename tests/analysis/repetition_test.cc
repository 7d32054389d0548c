// Walks through labs that do not repeat themselves.

#include "analysis/pattern_walk.hh"
#include "tests/analysis/walked_lookup.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace analysis {
namespace {

using namespace toy;
using testing::HasSubstr;

constexpr PathTimes kTimes{.to_server = 7_ms, .to_client = 13_ms, .timeout = 350_ms};
constexpr WalkConfig kConfig{.max_drops = 3, .times = kTimes};

const LossPattern kFirstQuestion{{.from = End::kClient, .ordinal = 1}};

// Damages the first `times` runs of one pattern.
class DamagedLab {
 public:
  using Damage = std::function<void(Trial&)>;
  DamagedLab(LossPattern pattern, std::size_t times, Damage damage)
      : pattern_(std::move(pattern)), left_(times), damage_(std::move(damage)) {}

  Trial operator()(const LossPattern& pattern) {
    Trial trial = lab_.run(pattern);
    if (pattern == pattern_ && left_ > 0) {
      --left_;
      damage_(trial);
    }
    return trial;
  }

 private:
  Lab lab_{.protocol = repeating(), .times = kTimes};
  LossPattern pattern_;
  std::size_t left_;
  Damage damage_;
};

Walked walk_damaged(std::size_t times, DamagedLab::Damage damage,
                    const LossPattern& pattern = kFirstQuestion) {
  return walk_with(kConfig, DamagedLab(pattern, times, std::move(damage)));
}

bool lies_below(const LossPattern& pattern, const LossPattern& top) {
  return std::ranges::includes(pattern, top);
}

TEST(Repetition, IsTriedAgainAndThenReported) {
  const auto other_content = [](Trial& trial) { trial.packets.front().signature = "else"; };
  const Walked whole = walk_all(repeating(), kTimes, kConfig);

  const Walked helped = walk_damaged(kMaxAttempts - 1, other_content);
  EXPECT_EQ(helped.patterns(), whole.patterns());
  EXPECT_EQ(
      helped.summary,
      (WalkSummary{.runs = whole.summary.runs + 2, .found = whole.summary.found, .helped = 1}));

  const Walked broken = walk_damaged(kMaxAttempts, other_content);
  ASSERT_EQ(broken.faults.size(), 1U);
  EXPECT_EQ(broken.summary.faults, 1U);
  EXPECT_EQ(broken.summary.helped, 0U);
  const DeterminismFault& fault = broken.faults.front();
  EXPECT_EQ(fault.pattern, kFirstQuestion);
  EXPECT_EQ(fault.attempts, kMaxAttempts);
  EXPECT_EQ(fault.difference, "c1 was [question], is [else]");
  EXPECT_EQ(fault.parent, whole.trials.front().trial.packets);
  EXPECT_EQ(fault.child.front().signature, "else");
  // It counts for nothing, and nothing below it was visited.
  constexpr LossRates kRates{.client = 0.3, .server = 0.2};
  std::set<LossPattern> expected;
  double below = 0;
  for (const WalkedTrial& walked : whole.trials) {
    if (lies_below(walked.trial.pattern, kFirstQuestion)) {
      below += probability_of(counts_of(walked.past), kRates);
    } else {
      expected.insert(walked.trial.pattern);
    }
  }
  EXPECT_EQ(broken.patterns(), expected);
  EXPECT_GT(below, 0.25);
  EXPECT_NEAR(ExactDistribution(broken.leaves(), kRates, 0_ms).unvisited(),
              ExactDistribution(whole.leaves(), kRates, 0_ms).unvisited() + below, 1e-12);
}

TEST(Repetition, SaysWhatIsDifferent) {
  const std::vector<std::pair<std::string, DamagedLab::Damage>> damages{
      {"the trial is of another pattern: none", [](Trial& trial) { trial.pattern.clear(); }},
      {"c1 [question] was never sent", [](Trial& trial) { trial.packets.clear(); }},
      {"c1 was not dropped", [](Trial& trial) { trial.packets.front().dropped = false; }},
      {"c1 was sent at 0.000 ms, now at 0.101 ms",
       [](Trial& trial) { trial.packets.front().at += 101_us; }},
      {"s1 was dropped unasked", [](Trial& trial) { trial.packets.at(2).dropped = true; }},
      {"s1 [answer] came before c1", [](Trial& trial) { trial.packets.at(2).at = 6_ms; }},
      {"the answer came at 1.000 ms, before c1 could matter at 20.000 ms",
       [](Trial& trial) { trial.time = 1_ms; }},
  };
  for (const auto& [difference, damage] : damages) {
    const Walked walked = walk_damaged(kMaxAttempts, damage);
    ASSERT_EQ(walked.faults.size(), 1U) << difference;
    EXPECT_EQ(walked.faults.front().difference, difference);
  }
}

TEST(Repetition, OverlooksMicroseconds) {
  const Walked walked =
      walk_damaged(kMaxAttempts, [](Trial& trial) { trial.packets.front().at += 99_us; });
  EXPECT_EQ(walked.summary.faults, 0U);
  EXPECT_EQ(walked.summary.helped, 0U);
}

TEST(Repetition, OfTheLosslessPatternMeansNoDrops) {
  const Walked walked =
      walk_damaged(kMaxAttempts, [](Trial& trial) { trial.packets.front().dropped = true; }, {});
  ASSERT_EQ(walked.faults.size(), 1U);
  EXPECT_EQ(walked.faults.front().difference, "c1 was dropped unasked");
  EXPECT_TRUE(walked.faults.front().parent.empty());
  EXPECT_TRUE(walked.trials.empty());
}

// A server that draws by lot whether it says more than the answer, before it.
TEST(Repetition, OfADrawingServerIsAFaultAndCountsForNothing) {
  base::Rng rng(7);
  const auto drawing = [&](World& world) {
    const bool talkative = rng.below(2) == 0;
    world.send(End::kClient, "question", [&world, talkative] {
      if (talkative) world.send(End::kServer, "greeting", [] {});
      world.send(End::kServer, "answer", [&world] { world.answered(); }, true);
    });
    world.after(100_ms, [&world] {
      world.send(End::kClient, "question", [&world] {
        world.send(End::kServer, "answer", [&world] { world.answered(); }, true);
      });
    });
  };
  const Walked walked = walk_all(drawing, kTimes, kConfig);
  ASSERT_GT(walked.summary.helped + walked.faults.size(), 0U);
  // What was found is of one tree all the same.
  EXPECT_LE(ExactDistribution(walked.leaves(), {.client = 0.4, .server = 0.4}, 0_ms).visited(), 1);

  // One that never says the same twice.
  std::uint64_t words = 0;
  const auto babbling = [&](World& world) {
    world.send(End::kClient, "question", [&] {
      world.send(
          End::kServer, "answer " + std::to_string(++words), [&world] { world.answered(); }, true);
    });
  };
  const Walked babbled = walk_all(babbling, kTimes, kConfig);
  ASSERT_EQ(babbled.faults.size(), 1U);
  EXPECT_THAT(babbled.faults.front().difference, HasSubstr("s1 was [answer 1], is [answer "));
  EXPECT_EQ(babbled.patterns(), (std::set<LossPattern>{{}, kFirstQuestion}));
}

}  // namespace
}  // namespace analysis
