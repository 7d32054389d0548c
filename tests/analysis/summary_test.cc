#include "analysis/summary.hh"

#include "analysis/expectations.hh"
#include "base/errors.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <format>

namespace analysis {
namespace {

using namespace std::chrono_literals;
using captures::Outcome;
using captures::QueryRecord;

CellSpec spec(std::string name) {
  return {.name = std::move(name),
          .rtt = 40ms,
          .floor = 80ms,
          .timeout = 10s,
          .loss_to_server = base::Probability::from(0.02),
          .loss_to_client = base::Probability::from(0.02)};
}

QueryRecord record(std::string cell, std::uint64_t index, std::optional<base::Nanoseconds> time) {
  QueryRecord record;
  record.id = std::format("{}:{}", cell, index);
  record.cell = std::move(cell);
  record.index = index;
  record.outcome = time ? Outcome::kAnswered : Outcome::kNoAnswer;
  record.time = time;
  record.wire = captures::WireCounts{.client = {5, 1000}, .server = {10, 4000}};
  if (time) {
    record.unexplained = 0ms;
    record.sum = {{.what = "quic_handshake", .time = 40ms, .at = "", .note = ""},
                  {.what = "query", .time = 40ms, .at = "", .note = ""},
                  {.what = "work", .time = *time - 80ms, .at = "client", .note = ""}};
  }
  return record;
}

// 300 queries: 80 ms, but for the last three of 1,080 ms; two packets a query lost in each of the
// first 30.
std::vector<QueryRecord> lossy_records() {
  std::vector<QueryRecord> records;
  for (std::uint64_t index = 0; index < 300; ++index) {
    records.push_back(record("doq", index, index < 296 ? 80ms : 1080ms));
    if (index < 30) records.back().lost = {{"client", 1, "netem"}, {"server", 2, "netem"}};
  }
  return records;
}

Summary lossy_summary() {
  const std::vector cells{spec("doq")};
  return summarise(cells, lossy_records());
}

TEST(Summary, HasTheFiguresOfACell) {
  const Summary summary = lossy_summary();
  const CellSummary& cell = summary.cells.at(0);
  EXPECT_EQ(cell.n, 300U);
  EXPECT_EQ(cell.round_trips.value().mean, 2);
  EXPECT_EQ(cell.unexplained, 0U);
  EXPECT_EQ(cell.answered, 300U);
  EXPECT_EQ(cell.p50.value, 80ms);
  EXPECT_EQ(cell.p95.value, 80ms);
  EXPECT_EQ(cell.p99.value, 1080ms);
  EXPECT_EQ(cell.max, 1080ms);
  EXPECT_EQ(cell.rtts, 2.0);
  EXPECT_EQ(cell.excess_rtts, 0.0);
  EXPECT_EQ(cell.client->packets.mean, 5);
  EXPECT_EQ(cell.server->bytes.median, 4000);
  EXPECT_EQ(cell.to_server.sent, 1500U);
  EXPECT_EQ(cell.to_server.lost, 30U);
  EXPECT_EQ(cell.to_server.measured(), 0.02);
  EXPECT_EQ(cell.to_server.verdict(), LossVerdict::kFits);
  // 30 of 3,000 where 60 are expected.
  EXPECT_EQ(cell.to_client.verdict(), LossVerdict::kDeviates);
}

TEST(Summary, CensoredSamplesAreCounted) {
  std::vector<QueryRecord> records = lossy_records();
  for (std::size_t index = 0; index < 3; ++index) {
    records[index].outcome = index == 0 ? Outcome::kFailed : Outcome::kNoAnswer;
    records[index].time.reset();
  }
  const std::vector cells{spec("doq")};
  const Summary summary = summarise(cells, records);
  const CellSummary& cell = summary.cells[0];
  EXPECT_EQ(cell.answered, 297U);
  EXPECT_EQ(cell.no_answer, 2U);
  EXPECT_EQ(cell.failed, 1U);
  EXPECT_EQ(cell.p99.value, 1080ms);
  EXPECT_EQ(cell.max, std::nullopt);
  const auto json = to_json(summary)["cells"]["doq"];
  EXPECT_TRUE(json["max_ns"].is_null());
  EXPECT_EQ(json["max_reason"], "beyond the timeout: a query got no answer");
}

TEST(Summary, JsonHasTheNamesThatToolsRelyOn) {
  const auto json = to_json(lossy_summary());
  const auto& cell = json["cells"]["doq"];
  EXPECT_EQ(cell["n"], 300);
  EXPECT_EQ(cell["answered"], 300);
  EXPECT_EQ(cell["no_answer"], 0);
  EXPECT_EQ(cell["p50_ns"], 80'000'000);
  EXPECT_EQ(cell["p90_ns"], 80'000'000);
  EXPECT_EQ(cell["p95_ns"], 80'000'000);
  EXPECT_EQ(cell["p99_ns"], 1'080'000'000);
  EXPECT_EQ(cell["max_ns"], 1'080'000'000);
  EXPECT_EQ(cell["floor_ns"], 80'000'000);
  EXPECT_EQ(cell["loss"]["client_to_server"]["verdict"], "fits");
}

TEST(Summary, UnsupportedPercentileIsNullWithItsReason) {
  const std::vector cells{spec("doq")};
  const std::vector records{record("doq", 0, 80ms)};
  const auto cell = to_json(summarise(cells, records))["cells"]["doq"];
  EXPECT_TRUE(cell["p99_ns"].is_null());
  EXPECT_EQ(cell["p99_reason"], "1 samples support no p99: it takes 299");
  EXPECT_EQ(cell["p99_censored"], false);
  EXPECT_EQ(cell["max_ns"], 80'000'000);
}

TEST(Summary, CellsKeepThePlansOrderAndMayBeEmpty) {
  const std::vector cells{spec("dot"), spec("doq")};
  const Summary summary = summarise(cells, lossy_records());
  EXPECT_EQ(summary.cells[0].spec.name, "dot");
  EXPECT_EQ(summary.cells[0].n, 0U);
  EXPECT_EQ(summary.cells[0].client, std::nullopt);
  EXPECT_EQ(summary.to_server.sent, 1500U);
  EXPECT_EQ(summary.find("doh3"), nullptr);
}

TEST(Summary, LossOfUnequalCellsIsNotJudgedTogether) {
  std::vector cells{spec("doq"), spec("loss=5%/doq")};
  cells[1].loss_to_server = base::Probability::from(0.05);
  EXPECT_EQ(summarise(cells, lossy_records()).to_server.verdict(), LossVerdict::kNotJudged);
  EXPECT_NE(summarise(cells, lossy_records()).to_client.verdict(), LossVerdict::kNotJudged);
}

TEST(Summary, RecordOfAnUnknownCellIsAnError) {
  const std::vector cells{spec("dot")};
  EXPECT_THROW(summarise(cells, lossy_records()), base::LabError);
}

ExpectationVerdict judged(const Summary& summary, std::string metric, double lower, double upper) {
  const std::vector expectations{Expectation{"doq", std::move(metric), lower, upper}};
  return judge(expectations, summary).at(0);
}

TEST(Expectation, HoldsWithinItsBounds) {
  const Summary summary = lossy_summary();
  const auto verdict = judged(summary, "p99_minus_p50", 950e6, 1400e6);
  EXPECT_EQ(verdict.judgement, Judgement::kHeld);
  EXPECT_EQ(verdict.measured, 1e9);
  EXPECT_EQ(verdict.text, "doq p99_minus_p50 is 1s, within [950ms, 1.4s]");
  EXPECT_EQ(judged(summary, "answered", 300, 300).judgement, Judgement::kHeld);
  EXPECT_EQ(judged(summary, "loss_client_to_server", 0.01, 0.03).text,
            "doq loss_client_to_server is 2%, within [1%, 3%]");
}

TEST(Expectation, BreaksOutsideThem) {
  const auto verdict = judged(lossy_summary(), "rtts", 2.5, 3);
  EXPECT_EQ(verdict.judgement, Judgement::kBroken);
  EXPECT_EQ(verdict.text, "doq rtts is 2, expected within [2.5, 3]");
  const std::vector verdicts{verdict};
  EXPECT_FALSE(all_hold(verdicts));
}

TEST(Expectation, CensoredMaximumLiesBeyondEveryBound) {
  std::vector<QueryRecord> records = lossy_records();
  records[0].outcome = Outcome::kNoAnswer;
  records[0].time.reset();
  const std::vector cells{spec("doq")};
  const auto verdict = judged(summarise(cells, records), "max", 0, 20e9);
  EXPECT_EQ(verdict.judgement, Judgement::kBroken);
  EXPECT_EQ(verdict.measured, std::nullopt);
  EXPECT_EQ(verdict.text, "doq max is beyond 10s, expected within [0s, 20s]");
}

TEST(Expectation, IsNotJudgedByTooFewQueries) {
  const std::vector cells{spec("doq")};
  const std::vector records{record("doq", 0, 80ms)};
  const auto verdict = judged(summarise(cells, records), "p99", 0, 1e9);
  EXPECT_EQ(verdict.judgement, Judgement::kNotJudged);
  EXPECT_EQ(verdict.text, "doq p99 is not judged: 1 samples support no p99: it takes 299");
  const std::vector verdicts{verdict};
  EXPECT_TRUE(all_hold(verdicts));
}

TEST(Expectation, EveryMetricCanBeRead) {
  const Summary summary = lossy_summary();
  for (const Metric& metric : metrics()) {
    EXPECT_EQ(find_metric(metric.name)->name, metric.name);
    EXPECT_EQ(judged(summary, std::string(metric.name), -1e18, 1e18).judgement, Judgement::kHeld)
        << metric.name;
  }
  EXPECT_EQ(find_metric("p98"), nullptr);
  EXPECT_THROW(judged(summary, "p98", 0, 1), base::LabError);
}

}  // namespace
}  // namespace analysis
