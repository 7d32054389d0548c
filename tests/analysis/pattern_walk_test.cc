#include "analysis/pattern_walk.hh"

#include "analysis/exact_distribution.hh"
#include "tests/analysis/toy_lookup.hh"
#include "tests/analysis/walked_lookup.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace analysis {
namespace {

using namespace toy;

constexpr std::size_t kAllDrops = 100;

struct Case {
  std::string name;
  Protocol protocol;
  PathTimes times;
};

// Timeouts that leave few enough packets to try all their fates.
std::vector<Case> cases() {
  return {
      {"repeating", repeating(), {.to_server = 7_ms, .to_client = 13_ms, .timeout = 750_ms}},
      {"crossing", with_noise(45_us), {.to_server = 7_ms, .to_client = 13_ms, .timeout = 350_ms}},
      // Timers of 100 ms run while packets are under way.
      {"slow", with_noise(45_us), {.to_server = 90_ms, .to_client = 135_ms, .timeout = 450_ms}},
      {"flights", in_flights(), {.to_server = 7_ms, .to_client = 13_ms, .timeout = 135_ms}}};
}

// All that can happen before the answer or the timeout, found by trying both fates of each packet
// in the order of the gate. Knows nothing of keys and pasts.
std::vector<Trial> all_trials(const Case& lookup) {
  Lab lab{.protocol = lookup.protocol, .times = lookup.times};
  std::vector<Trial> trials;
  std::vector<bool> script;
  do {
    std::size_t judged = 0;
    trials.push_back(lab.run_through([&](PacketName) {
      if (judged == script.size()) script.push_back(false);
      return script[judged++];
    }));
    while (!script.empty() && script.back()) script.pop_back();
    if (!script.empty()) script.back() = true;
  } while (!script.empty());
  return trials;
}

// Of these trials' full pattern, not only what their past says.
std::vector<Leaf> leaves_by_gate(const std::vector<Trial>& trials) {
  std::vector<Leaf> leaves;
  for (const Trial& trial : trials) {
    Leaf leaf{.time = trial.time, .counts = {}};
    for (const TrialPacket& packet : trial.packets) {
      Fates& fates = packet.name.from == End::kClient ? leaf.counts.client : leaf.counts.server;
      ++(packet.dropped ? fates.dropped : fates.passed);
    }
    leaves.push_back(leaf);
  }
  return leaves;
}

constexpr LossRates kRates{.client = 0.07, .server = 0.19};

TEST(PatternWalk, GivesTheDistributionOfAllFates) {
  for (const Case& lookup : cases()) {
    const auto trials = all_trials(lookup);
    const Walked walked = walk_all(lookup.protocol, lookup.times, {.max_drops = kAllDrops});
    EXPECT_GT(walked.trials.size(), 10U) << lookup.name;
    EXPECT_LE(walked.trials.size(), trials.size()) << lookup.name;
    const auto leaves = leaves_by_gate(trials);
    for (const LossRates& rates : {kRates, LossRates{.client = 0.5, .server = 0.01},
                                   LossRates{.client = 0, .server = 0.3}}) {
      const ExactDistribution brute(leaves, rates, 0_ms);
      const ExactDistribution exact(walked.leaves(), rates, 0_ms);
      EXPECT_NEAR(exact.visited(), 1, 1e-12) << lookup.name;
      EXPECT_NEAR(brute.visited(), 1, 1e-12) << lookup.name;
      EXPECT_NEAR(exact.never().lower, brute.never().lower, 1e-12) << lookup.name;
      ASSERT_EQ(exact.atoms().size(), brute.atoms().size()) << lookup.name;
      for (std::size_t i = 0; i < exact.atoms().size(); ++i) {
        EXPECT_EQ(exact.atoms()[i].time, brute.atoms()[i].time) << lookup.name;
        EXPECT_NEAR(exact.atoms()[i].probability, brute.atoms()[i].probability, 1e-12)
            << lookup.name;
      }
    }
  }
}

TEST(PatternWalk, VisitsEachPatternThatMattersOnce) {
  for (const Case& lookup : cases()) {
    std::set<LossPattern> expected;
    for (const Trial& trial : all_trials(lookup))
      if (misplaced_drops(trial, past_of(trial, lookup.times)).empty())
        expected.insert(trial.pattern);
    for (const std::size_t max_drops : {0U, 1U, 2U, 3U, 100U}) {
      const Walked walked = walk_all(lookup.protocol, lookup.times, {.max_drops = max_drops});
      std::set<LossPattern> up_to;
      for (const LossPattern& pattern : expected)
        if (pattern.size() <= max_drops) up_to.insert(pattern);
      EXPECT_EQ(walked.patterns(), up_to) << lookup.name << ' ' << max_drops;
      EXPECT_EQ(walked.trials.size(), up_to.size()) << lookup.name << ' ' << max_drops;
      EXPECT_EQ(walked.summary, (WalkSummary{.runs = up_to.size(), .found = up_to.size()}))
          << lookup.name << ' ' << max_drops;
    }
  }
}

TEST(PatternWalk, CutOffLeavesTheRestUnvisited) {
  const Case lookup = cases()[0];
  double visited = 0;
  for (const std::size_t max_drops : {0U, 1U, 2U, 3U}) {
    const Walked walked = walk_all(lookup.protocol, lookup.times, {.max_drops = max_drops});
    const ExactDistribution exact(walked.leaves(), kRates, 0_ms);
    EXPECT_GT(exact.visited(), visited) << max_drops;
    EXPECT_GT(exact.unvisited(), 0) << max_drops;
    EXPECT_NEAR(exact.visited() + exact.unvisited(), 1, 1e-15) << max_drops;
    visited = exact.visited();
  }
  // One question, one answer: no loss in either.
  EXPECT_NEAR(ExactDistribution(walk_all(lookup.protocol, lookup.times, {}).leaves(), kRates, 0_ms)
                  .visited(),
              0.93 * 0.81, 1e-15);
}

TEST(PatternWalk, AgreesWithSampling) {
  constexpr std::uint64_t kSamples = 20'000;
  for (const Case& lookup : cases()) {
    const Walked walked = walk_all(lookup.protocol, lookup.times, {.max_drops = kAllDrops});
    const ExactDistribution exact(walked.leaves(), kRates, 0_ms);
    Lab lab{.protocol = lookup.protocol, .times = lookup.times};
    base::Rng rng(base::derive_seed(1, lookup.name));
    std::map<std::optional<base::Nanoseconds>, std::uint64_t> sampled;
    for (std::uint64_t i = 0; i < kSamples; ++i) {
      const Trial trial = lab.run_through([&](PacketName name) {
        const double rate = name.from == End::kClient ? kRates.client : kRates.server;
        return static_cast<double>(rng.below(1'000'000)) < rate * 1e6;
      });
      ++sampled[trial.time];
    }
    std::uint64_t of_atoms = sampled[std::nullopt];
    const auto accepts = [](double probability, std::uint64_t count) {
      const auto p = base::Probability::from(std::clamp(probability, 0.0, 1.0)).value();
      return acceptance_region(kSamples, p, 0.9999).contains(count);
    };
    EXPECT_TRUE(accepts(exact.never().lower, sampled[std::nullopt])) << lookup.name;
    for (const ExactDistribution::Atom& atom : exact.atoms()) {
      EXPECT_TRUE(accepts(atom.probability, sampled[atom.time]))
          << lookup.name << ' ' << atom.time << ' ' << sampled[atom.time];
      of_atoms += sampled[atom.time];
    }
    EXPECT_EQ(of_atoms, kSamples) << lookup.name;  // no time that the walk does not know
  }
}

TEST(PatternWalk, SharesTogetherAreOneWalk) {
  for (const Case& lookup : cases()) {
    const Walked whole = walk_all(lookup.protocol, lookup.times, {.max_drops = 3});
    for (const std::size_t workers : {2U, 3U, 50U}) {
      std::multiset<LossPattern> patterns;
      for (std::size_t worker = 0; worker < workers; ++worker) {
        const Walked part = walk_all(lookup.protocol, lookup.times,
                                     {.max_drops = 3, .share = {.index = worker, .of = workers}});
        EXPECT_LT(part.trials.size(), whole.trials.size()) << lookup.name;
        for (const WalkedTrial& walked : part.trials) patterns.insert(walked.trial.pattern);
      }
      const auto expected = whole.patterns();
      EXPECT_TRUE(std::ranges::equal(patterns, expected)) << lookup.name << ' ' << workers;
    }
  }
}

// Times differ in each run, and with them the order of packets that cross.
TEST(PatternWalk, IsNotMisledByMicroseconds) {
  for (const Case& lookup : cases()) {
    const Walked calm = walk_all(lookup.protocol, lookup.times, {.max_drops = kAllDrops});
    const Walked shaken = walk_all(lookup.protocol, lookup.times, {.max_drops = kAllDrops}, 20_us);
    EXPECT_EQ(shaken.faults.size(), 0U) << lookup.name;
    EXPECT_EQ(shaken.patterns(), calm.patterns()) << lookup.name;
    EXPECT_EQ(shaken.trials.size(), calm.trials.size()) << lookup.name;
    EXPECT_NE(shaken.leaves().front().time, calm.leaves().front().time) << lookup.name;
    const ExactDistribution exact(calm.leaves(), kRates, 0_ms);
    const ExactDistribution moved(shaken.leaves(), kRates, 0_ms);
    EXPECT_NEAR(moved.visited(), 1, 1e-12) << lookup.name;
    EXPECT_NEAR(moved.never().lower, exact.never().lower, 1e-12) << lookup.name;
    for (const ExactDistribution::Atom& atom : exact.atoms())
      EXPECT_NEAR(moved.cumulative(atom.time + 1_ms).lower,
                  exact.cumulative(atom.time + 1_ms).lower, 1e-12)
          << lookup.name << ' ' << atom.time;
  }
}

// Noise that follows the answer by the very tolerance precedes it in some runs, in others not. That
// makes other leaves, of the same distribution.
TEST(PatternWalk, IsOneTreeWhereTheOrderChangesFromRunToRun) {
  const PathTimes times = cases()[1].times;
  const Protocol noisy = with_noise(40_us + kTimeTolerance);
  const ExactDistribution calm(walk_all(noisy, times, {.max_drops = kAllDrops}).leaves(), kRates,
                               0_ms);
  std::set<std::size_t> sizes;
  for (const base::Seed seed : {1U, 2U, 3U, 4U}) {
    const Walked walked = walk_all(noisy, times, {.max_drops = kAllDrops}, 20_us, seed);
    EXPECT_EQ(walked.summary.faults, 0U);
    EXPECT_EQ(walked.patterns().size(), walked.trials.size());
    const ExactDistribution exact(walked.leaves(), kRates, 0_ms);
    EXPECT_NEAR(exact.visited(), 1, 1e-12);
    for (const auto time : {21_ms, 121_ms, 321_ms})
      EXPECT_NEAR(exact.cumulative(time).lower, calm.cumulative(time).lower, 1e-12) << time;
    sizes.insert(walked.trials.size());
  }
  EXPECT_GT(sizes.size(), 1U) << "the order never changed";
}

TEST(PatternWalk, EndsAfterSoManyRuns) {
  const Case lookup = cases()[0];
  const Walked walked =
      walk_all(lookup.protocol, lookup.times, {.max_drops = kAllDrops, .max_trials = 5});
  EXPECT_EQ(walked.summary, (WalkSummary{.runs = 5, .found = 5, .complete = false}));
  const std::size_t all =
      walk_all(lookup.protocol, lookup.times, {.max_drops = kAllDrops}).trials.size();
  EXPECT_TRUE(walk_all(lookup.protocol, lookup.times, {.max_drops = kAllDrops, .max_trials = all})
                  .summary.complete);
}

}  // namespace
}  // namespace analysis
