#include "harness/exact_cell.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "harness/scenario_error.hh"
#include "harness/trial_store.hh"
#include "tests/harness/scenario_text.hh"
#include "tests/harness/walked_cell.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <format>
#include <string>

namespace harness {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Plan plan_with(const std::string& added) {
  return make_plan(parse_scenario(
      "name: x\nclient: { transports: [do53, doq], queries: 4 }\n" + added, "x.yaml"));
}

TEST(ReasonsNotToWalk, AreChanceOtherThanIndependentLoss) {
  EXPECT_THAT(reasons_not_to_walk(plan_with("")), IsEmpty());
  EXPECT_THAT(reasons_not_to_walk(
                  plan_with("path: { each_way: { delay: 20ms, loss: 2%, rate: 10mbit } }\n")),
              IsEmpty());
  const std::vector<std::pair<std::string, std::string>> reasons{
      {"loss: { model: gilbert-elliott, p: 1%, r: 20% }",
       "losses in bursts are not independent of each other"},
      {"jitter: 1ms", "jitter"},
      {"reorder: 1%", "random reordering"},
      {"duplicate: 1%", "random duplicates"},
      {"corrupt: 1%", "random corruption"},
      {"rate: 1mbit, limit: 10", "a queue that may overflow"}};
  for (const auto& [impairment, reason] : reasons) {
    const auto path = [&](const char* way) {
      return plan_with(std::format("path: {{ {}: {{ delay: 20ms, {} }} }}\n", way, impairment));
    };
    EXPECT_THAT(reasons_not_to_walk(path("client_to_server")),
                ElementsAre("the path, client to server: " + reason));
    EXPECT_THAT(reasons_not_to_walk(path("server_to_client")),
                ElementsAre("the path, server to client: " + reason));
    EXPECT_THAT(reasons_not_to_walk(path("each_way")), SizeIs(2));
  }
}

TEST(ReasonsNotToWalk, NameTheArmThatHasThem) {
  EXPECT_THAT(
      reasons_not_to_walk(plan_with("vary: { path.client_to_server.duplicate: [0%, 1%] }\n")),
      ElementsAre("duplicate=1%, client to server: random duplicates"));
}

TEST(ReasonsNotToWalk, AreRulesOfTheGateToo) {
  EXPECT_THAT(reasons_not_to_walk(plan_with("gate: pass\n")), IsEmpty());
  EXPECT_THAT(
      reasons_not_to_walk(plan_with("gate: { drop: { from: client } }\n")),
      ElementsAre("the path: rules of the gate; here every packet has its turn to be lost"));
}

TEST(WalkTasks, AreSharesOfEachCell) {
  const Plan plan = plan_with("");
  for (const auto& [drops, shares] : {std::pair{0U, 1U}, std::pair{1U, 2U}, std::pair{2U, 2U},
                                      std::pair{3U, 8U}, std::pair{6U, 8U}}) {
    EXPECT_EQ(walk_shares(drops), shares);
    const std::vector<TrialTask> tasks = walk_tasks(plan, drops);
    ASSERT_EQ(tasks.size(), 2 * shares) << drops;
    for (std::uint32_t index = 0; index < tasks.size(); ++index) {
      const TrialTask& task = tasks[index];
      EXPECT_EQ(task.job.kind, TrialJob::Kind::kWalk);
      EXPECT_EQ(task.job.max_drops, drops);
      EXPECT_EQ(task.job.share, index % shares);
      EXPECT_EQ(task.job.shares, shares);
      EXPECT_EQ(task.seed, plan.blocks.front().seed) << "one kernel, whoever walks";
      ASSERT_THAT(task.queries, SizeIs(1));
      EXPECT_EQ(task.queries[0].cell, index / shares);
      EXPECT_EQ(task.queries[0].index, 0U);
    }
  }
}

TEST(WalkTasks, EveryCellNeedsAQuery) {
  Plan plan = plan_with("");
  for (PlannedBlock& block : plan.blocks)
    std::erase_if(block.queries, [](const PlannedQuery& query) { return query.cell == 1; });
  EXPECT_THROW(static_cast<void>(walk_tasks(plan, 1)), base::LabError);
}

TEST(ExactCell, KnowsWhatMattersAndHowLikelyItIs) {
  const ExactCell cell = walked_cell(1).cell;
  EXPECT_EQ(cell.packets_in_past(), 2U);
  const analysis::ExactDistribution exact = cell.distribution({.client = 0.1, .server = 0.5});
  EXPECT_NEAR(exact.cumulative(41ms).lower, 0.9 * 0.5, 1e-12);
  EXPECT_EQ(exact.cumulative(39ms).upper, 0) << "nothing comes before the floor";
}

// Two cells' walks with one loss at most, as their kernels left them.
class CollectedCells : public testing::Test {
 protected:
  CollectedCells() {
    for (std::size_t task = 0; task < 4; ++task) write(task, lookup({}));
  }

  // The lossless leaf is the first share's.
  void write(std::size_t task, const analysis::Trial& lossless) {
    const std::filesystem::path results = campaign.results(task);
    const std::size_t share = task % 2;
    std::filesystem::remove(results / kTrialsFile);
    TrialStore(results / kTrialsFile).add(lossless);
    const WalkedCell walked = walked_cell(1);
    std::string leaves;
    for (std::size_t index = 0; index < walked.cell.leaves.size(); ++index)
      if (index / 2 == share) leaves += to_json_line(walked.cell.leaves[index]) + '\n';
    base::write_file_atomically(results / kLeavesFile, leaves);
    base::write_file_atomically(results / kFaultsFile,
                                share == 0 ? "" : fault_of("s2").dump() + '\n');
    base::write_file_atomically(results / kTrialFactsFile,
                                std::format(R"({{"runs":{},"helped":{}}})", 3 + task, share + 1));
  }

  const Plan plan = plan_with("path: { each_way: { delay: 20ms, loss: 2% } }\n");
  const CommandLine command{};
  const Image image{};
  const TemporaryRun run;
  const TrialCampaign campaign{command, image, trial_plan(plan), walk_tasks(plan, 1),
                               run.directory()};
};

TEST_F(CollectedCells, HaveAllSharesTogether) {
  const std::vector<ExactCell> cells = collect_cells(plan, campaign, 1);
  ASSERT_THAT(cells, SizeIs(2));
  EXPECT_EQ(cells[1].planned, plan.cells[1]);
  for (const ExactCell& cell : cells) {
    EXPECT_EQ(cell.lossless, lookup({}));
    ASSERT_THAT(cell.leaves, SizeIs(3));
    EXPECT_THAT(cell.leaves[0].pattern, IsEmpty());
    EXPECT_EQ(cell.leaves[2].pattern, pattern_of("s1"));
    EXPECT_THAT(cell.faults, ElementsAre(fault_of("s2")));
    EXPECT_EQ(cell.helped, 3U);
    EXPECT_EQ(cell.rates.client, 0.02);
    EXPECT_EQ(cell.times.to_client, 20ms);
    EXPECT_EQ(cell.times.timeout, plan.arms[0].client.timeout);
  }
  EXPECT_EQ(campaign.runs(), 3U + 4 + 5 + 6);
}

TEST_F(CollectedCells, DoNotFitTogetherWhereKernelsDiffered) {
  analysis::Trial other = lookup({});
  other.packets[1].at += 5us;  // not even time is the same in two kernels
  write(1, other);
  EXPECT_THAT(collect_cells(plan, campaign, 1), SizeIs(2));
  other.packets[1].signature = "another";
  write(1, other);
  try {
    collect_cells(plan, campaign, 1);
    ADD_FAILURE() << "accepted";
  } catch (const base::LabError& error) {
    EXPECT_THAT(error.what(), HasSubstr("walk do53: two kernels saw different packets"));
  }
}

TEST_F(CollectedCells, NeedALosslessTrial) {
  write(2, lookup(pattern_of("c1")));
  EXPECT_THROW(static_cast<void>(collect_cells(plan, campaign, 1)), base::LabError);
}

TEST_F(CollectedCells, AreNotContinuedAsSomethingElse) {
  const auto complaint = [&](const Plan& then, std::uint32_t drops) -> std::string {
    try {
      const TrialCampaign resumed(command, image, trial_plan(then), walk_tasks(then, drops),
                                  run.directory());
      EXPECT_EQ(resumed.runs(), campaign.runs());
    } catch (const BadInput& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(complaint(plan, 1), "accepted");
  EXPECT_THAT(complaint(plan, 2), HasSubstr("was begun with another scenario or other options"));
  EXPECT_THAT(complaint(plan_with("path: { each_way: { delay: 21ms, loss: 2% } }\n"), 1),
              HasSubstr("was begun with another scenario or other options"));
  EXPECT_EQ(complaint(plan, 1), "accepted") << "nothing was overwritten";
}

TEST(TrialPlan, HasNoChanceAndNothingToMeasure) {
  const Plan plan =
      trial_plan(plan_with("path: { each_way: { delay: 20ms, loss: 2%, rate: 10mbit } }\n"
                           "expect: [{ cell: doq, metric: answered, within: [4, 4] }]\n"));
  EXPECT_THAT(plan.blocks, IsEmpty());
  EXPECT_THAT(plan.claims, IsEmpty());
  const netns::OneWaySpec calm{.delay = 20ms, .rate = base::BitRate{10'000'000}};
  EXPECT_EQ(plan.arms.at(0).path, (netns::PathSpec{.to_server = calm, .to_client = calm}));
}

}  // namespace
}  // namespace harness
