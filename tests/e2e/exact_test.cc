// Walks over loss patterns: complete, quick, repeatable, and in agreement with samples.

#include "tests/e2e/program_run.hh"
#include "tests/e2e/run_results.hh"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <string>

namespace e2e {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kTwoPercent = 0.02;

const json& at_loss(const json& cell, double rate) {
  for (const json& entry : cell.at("by_loss"))
    if (std::abs(entry.at("loss").at("client").get<double>() - rate) < 1e-12) return entry;
  ADD_FAILURE() << "no figures for a loss of " << rate;
  return cell.at("by_loss").front();
}

TEST(ExactTails, TwoLossesInFiveTransportsTakeLessThanAMinute) {
  const TemporaryFolder folder;
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = run_program({"labrun", "exact", scenario("exact2pct"), "--max-drops", "2",
                                       "--out", folder.path() / "walk", "--quiet"});
  const auto took = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  EXPECT_LT(took, std::chrono::seconds(60));
  expect_file_fits_schema(folder.path() / "walk", "exact");
  const json result = read_json(folder.path() / "walk" / "exact.json");
  for (const auto& [name, cell] : result.at("cells").items()) {
    EXPECT_THAT(cell.at("faults"), IsEmpty()) << name;
    EXPECT_LT(at_loss(cell, kTwoPercent).at("unvisited").get<double>(), 0.005) << name;
    EXPECT_LT(cell.at("lossless_ns").get<double>() - cell.at("floor_ns").get<double>(), 1e5)
        << name;
    // One of the first packets lost is a matter of one loss more: never the floor, and never
    // nothing.
    EXPECT_GT(cell.at("patterns").get<int>(), 2) << name;
  }
  // Two packets, each lost with 2 %: this one can be worked out by hand.
  const json& do53 = at_loss(result.at("cells").at("do53"), kTwoPercent);
  const double never = 1 - (1 - kTwoPercent) * (1 - kTwoPercent);
  EXPECT_NEAR(do53.at("never").at(0).get<double>(), never, 1e-12);
  EXPECT_NEAR(do53.at("never").at(1).get<double>(), never, 1e-12);
  EXPECT_TRUE(do53.at("p99_ns").at(0).is_null());
}

TEST(ExactTails, SamplesAgree) {
  const TemporaryFolder folder;
  const std::string run = folder.path() / "run";
  const Outcome sampled =
      run_program({"labrun", scenario("exact2pct"), "--queries", "1000", "--out", run, "--quiet"});
  ASSERT_TRUE(sampled.status.succeeded()) << sampled.output;
  const Outcome outcome = run_program({"labrun", "exact", scenario("exact2pct"), "--against", run,
                                       "--out", folder.path() / "walk", "--quiet"});
  EXPECT_TRUE(outcome.status.succeeded()) << outcome.output;
  EXPECT_THAT(outcome.output, Not(HasSubstr("DISAGREE")));
  const json against = read_json(folder.path() / "walk" / "exact.json").at("against");
  EXPECT_EQ(against.size(), 5U);
  for (const auto& [name, fit] : against.items()) EXPECT_EQ(fit.at("samples"), 1000) << name;
}

TEST(ExactTails, SamplesOfAnotherPathDoNot) {
  const TemporaryFolder folder;
  const std::string run = folder.path() / "run";
  const Outcome sampled =
      run_program({"labrun", scenario("exact2pct"), "--queries", "300", "--only", "doq", "--set",
                   "path.each_way.loss=4%", "--out", run, "--quiet"});
  ASSERT_NE(sampled.status.code, 3) << sampled.output;
  const Outcome outcome =
      run_program({"labrun", "exact", scenario("exact2pct"), "--only", "doq", "--against", run,
                   "--out", folder.path() / "walk", "--quiet"});
  EXPECT_EQ(outcome.status.code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("DISAGREE"));
}

TEST(ExactTails, InterruptedWalkGoesOn) {
  const TemporaryFolder folder;
  const std::filesystem::path stopped = folder.path() / "stopped";
  const std::filesystem::path whole = folder.path() / "whole";
  const std::vector<std::string> walk{
      "labrun", "exact", scenario("exact2pct"), "--only", "doq", "--max-drops", "3"};
  auto arguments = walk;
  arguments.insert(arguments.end(), {"--jobs", "1", "--out", stopped});
  RunningProgram running(arguments);
  ASSERT_TRUE(running.wait_for_output("1 of 8 parts done"));
  running.send_signal(SIGINT);
  const Outcome interrupted = running.finish();
  ASSERT_EQ(interrupted.status.code, 130) << interrupted.output;
  EXPECT_THAT(interrupted.output, HasSubstr("--resume"));
  EXPECT_FALSE(std::filesystem::exists(stopped / "exact.json"));

  arguments = walk;
  arguments.insert(arguments.end(), {"--resume", stopped, "--quiet"});
  const Outcome resumed = run_program(arguments);
  ASSERT_TRUE(resumed.status.succeeded()) << resumed.output;
  arguments = walk;
  arguments.insert(arguments.end(), {"--out", whole, "--quiet"});
  ASSERT_TRUE(run_program(arguments).status.succeeded());
  const json one = read_json(stopped / "exact.json").at("cells").at("doq");
  const json other = read_json(whole / "exact.json").at("cells").at("doq");
  EXPECT_EQ(one.at("patterns"), other.at("patterns"));
  for (const double rate : {0.001, kTwoPercent, 0.1}) {
    const double left = at_loss(one, rate).at("unvisited");
    const double right = at_loss(other, rate).at("unvisited");
    EXPECT_NEAR(left, right, 1e-12) << rate;
  }
}

TEST(ExactTails, OtherScenarioCannotGoOnWithIt) {
  const TemporaryFolder folder;
  const std::filesystem::path walk = folder.path() / "walk";
  ASSERT_TRUE(run_program({"labrun", "exact", scenario("exact2pct"), "--only", "do53", "--out",
                           walk, "--quiet"})
                  .status.succeeded());
  const Outcome outcome = run_program({"labrun", "exact", scenario("exact2pct"), "--only", "do53",
                                       "--max-drops", "1", "--resume", walk, "--quiet"});
  EXPECT_EQ(outcome.status.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("was begun with another scenario or other options"));
}

TEST(ExactTails, ChanceThatIsNoIndependentLossIsRefused) {
  const Outcome outcome =
      run_program({"labrun", "exact", scenario("exact2pct"), "--set", "path.each_way.jitter=2ms"});
  EXPECT_EQ(outcome.status.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("its losses cannot be walked"));
  EXPECT_THAT(outcome.output, HasSubstr("client to server: jitter"));
}

TEST(LossMap, KnowsWhatEachPacketCosts) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"labrun", "map", scenario("map"), "--only", "doq", "--out",
                                       folder.path() / "map", "--quiet"});
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  expect_file_fits_schema(folder.path() / "map", "map");
  const json map = read_json(folder.path() / "map" / "map.json").at("cells").at("doq");
  const auto cost_ms = [&](std::size_t packet) {
    return map.at("packets").at(packet).at("alone").at("added_ns").get<double>() / 1e6;
  };
  EXPECT_NEAR(cost_ms(0), 40.0, 0.5);   // the ClientHello's first datagram: a Retry
  EXPECT_NEAR(cost_ms(1), 120.1, 0.5);  // its second: three round trips
  // Behind the answer nothing matters.
  EXPECT_TRUE(map.at("packets").back().at("alone").is_null());
  EXPECT_GT(map.at("pairs").size(), 30U);
  const json& worst = map.at("pairs").front().at("cost").at("added_ns");
  EXPECT_GT(worst.get<double>() / 1e6, 999);
}

TEST(LossMap, KnowsWhatLatenessCosts) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"labrun", "map", scenario("map"), "--only", "doq", "--late",
                                       "2ms", "--out", folder.path() / "map", "--quiet"});
  ASSERT_TRUE(outcome.status.succeeded()) << outcome.output;
  expect_file_fits_schema(folder.path() / "map", "map");
  const json map = read_json(folder.path() / "map" / "map.json").at("cells").at("doq");
  const auto cost_ms = [&](std::size_t packet) {
    return map.at("packets").at(packet).at("alone").at("added_ns").get<double>() / 1e6;
  };
  EXPECT_NEAR(cost_ms(0), 40.0, 0.5);
  EXPECT_NEAR(cost_ms(1), 2.0, 0.5);
}

}  // namespace
}  // namespace e2e
