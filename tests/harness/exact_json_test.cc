#include "harness/exact_json.hh"

#include "tests/harness/walked_cell.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <vector>

namespace harness {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

json cell_json(const ExactCell& cell) {
  return json::parse(exact_to_json(std::vector{cell}, {}, walk_facts()))["cells"]["do53"];
}

TEST(ExactJson, BeginsWithWhatTheWalkWasMadeOf) {
  const json all = json::parse(exact_to_json({}, {}, walk_facts()));
  EXPECT_EQ(all, json::parse(R"json({"format": 1, "scenario": "exact2pct",
      "seed": "18446744073709551615", "labrun": "0.1.0 (abc)",
      "kernel": "lab, Linux 7.3.4, 1000 Hz, virtual time",
      "reproduce": "labrun exact scenarios/exact2pct.yaml --seed 18446744073709551615",
      "max_drops": 2, "runs": 6, "real_seconds": 1.5, "real_ms_per_run": 250.0,
      "cells": {}, "against": {}})json"));
  ExactFacts nothing = walk_facts();
  nothing.runs = 0;
  EXPECT_EQ(to_json(nothing)["real_ms_per_run"], 0.0);
}

TEST(ExactJson, HasTheCellsFigures) {
  ExactCell cell = walked_cell(2).cell;
  cell.helped = 3;
  cell.faults = {fault_of("c1")};
  const json object = cell_json(cell);
  EXPECT_EQ(object["floor_ns"], 40'000'000);
  EXPECT_EQ(object["timeout_ns"], 2'000'000'000);
  EXPECT_EQ(object["lossless_ns"], 40'200'000);
  EXPECT_EQ(object["packets_that_matter"], 2);
  EXPECT_EQ(object["patterns"], 7);
  EXPECT_EQ(object["helped"], 3);
  EXPECT_EQ(object["faults"], json::array({fault_of("c1")}));
  EXPECT_EQ(object["packets"][1], json::parse(R"({"packet": "s1", "at_ns": 20100000, "bytes": 60,
                                                  "meaning": "DNS answer"})"));
  EXPECT_EQ(object["own_loss"], json::parse(R"({"client": 0.02, "server": 0.02})"));
}

TEST(ExactJson, QuantilesAreBounds) {
  const json object = cell_json(walked_cell(1).cell);
  const json& rows = object["by_loss"];
  ASSERT_EQ(rows.size(), analysis::standard_rates().size());
  const json& row = rows.back();
  EXPECT_EQ(row["loss"], json::parse(R"({"client": 0.2, "server": 0.2})"));
  EXPECT_EQ(row["p50_ns"], json::parse("[40200000, 40200000]"));
  EXPECT_EQ(row["p99_9_ns"], json::parse("[1040200000, null]"));
  // 64 % lose nothing; the loss of c1 costs 12.8 %, that of s1 in all 10.24 %.
  EXPECT_NEAR(row["unvisited"].get<double>(), 1 - 0.64 - 0.128 - 0.1024, 1e-12);
  EXPECT_EQ(row["never"][0], 0.0);
  EXPECT_EQ(row["never"][1], row["unvisited"]);
}

TEST(ExactJson, OwnLossIsOneOfTheRatesOnce) {
  const std::size_t standard = analysis::standard_rates().size();
  ExactCell cell = walked_cell(1).cell;
  EXPECT_EQ(cell_json(cell)["by_loss"].size(), standard) << "2 % is among them";
  cell.rates = {};
  EXPECT_EQ(cell_json(cell)["by_loss"].size(), standard);
  cell.rates = {.client = 0.02, .server = 0};
  const json rows = cell_json(cell)["by_loss"];
  ASSERT_EQ(rows.size(), standard + 1);
  EXPECT_EQ(rows.back()["loss"], json::parse(R"({"client": 0.02, "server": 0.0})"));
}

TEST(ExactJson, OwnDistributionAddsUp) {
  const json atoms = cell_json(walked_cell(6).cell)["own_distribution"];
  ASSERT_EQ(atoms.size(), 3U);
  EXPECT_EQ(atoms[0]["time_ns"], 40'200'000);
  EXPECT_NEAR(atoms[0]["probability"].get<double>(), 0.98 * 0.98, 1e-12);
  double sum = 0;
  for (const json& atom : atoms) sum += atom["probability"].get<double>();
  EXPECT_NEAR(sum,
              1 - walked_cell(6).cell.distribution({.client = 0.02, .server = 0.02}).never().lower,
              1e-12);
}

TEST(ExactJson, ALookupWithoutAnAnswerHasNull) {
  ExactCell cell = walked_cell(0).cell;
  cell.lossless.time.reset();
  cell.leaves.at(0).leaf.time.reset();
  const json object = cell_json(cell);
  EXPECT_TRUE(object["lossless_ns"].is_null());
  EXPECT_THAT(object["own_distribution"], IsEmpty());
}

TEST(ExactJson, HasWhatSamplesCameTo) {
  FittedCell fitted{.name = "do53", .samples = 300, .fit = {}};
  fitted.fit.bins = {{.low = 40ms, .high = {}, .visited = true, .expected = 3.5, .observed = 4}};
  fitted.fit.p_value = 0.0001;
  const json all = json::parse(exact_to_json({}, std::vector{fitted}, walk_facts()));
  EXPECT_EQ(all["against"]["do53"], json::parse(R"({"samples": 300, "agrees": false,
      "chi_square": 0.0, "degrees": 0, "p_value": 0.0001, "unvisited_observed": 0,
      "unvisited_p_value": 1.0, "bins": [{"low_ns": 40000000, "high_ns": null, "visited": true,
      "expected": 3.5, "observed": 4}]})"));
}

}  // namespace
}  // namespace harness
