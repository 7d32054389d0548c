#include "harness/table.hh"

#include "analysis/expectations.hh"
#include "analysis/finding_collection.hh"
#include "analysis/summary.hh"
#include "tests/harness/golden.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <format>
#include <string>

namespace harness {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

// `answers` times from 40 ms on, one every 10 us, then `silent` queries without an answer.
void add_records(std::vector<captures::QueryRecord>& records, const std::string& cell,
                 std::uint32_t answers, std::uint32_t silent) {
  for (std::uint32_t i = 0; i < answers + silent; ++i) {
    captures::QueryRecord record;
    record.id = std::format("{}:{}", cell, i);
    record.cell = cell;
    record.index = i;
    record.outcome = i < answers ? captures::Outcome::kAnswered : captures::Outcome::kNoAnswer;
    if (i < answers) record.time = 40ms + i * 10us;
    record.wire = captures::WireCounts{{4, 4019 + i % 2}, {7, 5723}};
    if (i >= answers) record.lost.push_back({"client", 1, "netem"});
    records.push_back(record);
  }
}

analysis::CellSpec spec(const std::string& name) {
  return {.name = name,
          .rtt = 40ms,
          .floor = 40ms,
          .timeout = 10s,
          .loss_to_server = base::Probability::from(0.02),
          .loss_to_client = base::Probability::from(0.02)};
}

analysis::Summary example() {
  const std::vector<analysis::CellSpec> cells{
      spec("do53"), spec("doq"), spec("few"), spec("none"),
      spec("key_exchange=X25519MLKEM768,chain_bytes=3900,retry=always/doh3")};
  std::vector<captures::QueryRecord> records;
  add_records(records, "do53", 288, 12);
  add_records(records, "doq", 300, 0);
  add_records(records, "few", 10, 0);
  add_records(records, cells.back().name, 100, 60);
  return analysis::summarise(cells, records);
}

RunFacts facts() {
  return {.seed = "20260730",
          .kernel = "lab, Linux 7.3.4, virtual time",
          .versions =
              "labrun 0.1.0, OpenSSL 3.5.9, ngtcp2 1.22.1, nghttp3 1.15.0, nghttp2 1.64.0, "
              "libpcap 1.10.5",
          .reproduce = "labrun scenarios/loss2pct.yaml --seed 20260730",
          .run_directory = "runs/loss2pct-20261130T155000Z",
          .validity = ""};
}

analysis::FindingCollection findings() {
  analysis::FindingCollection collection;
  captures::QueryRecord record;
  record.id = "doq:17";
  record.cell = "doq";
  const std::vector<analysis::Finding> found{
      {.id = "amplification-exceeded", .packets = {}, .text = "the server sent 3781 bytes"},
      {.id = "client-hello-split", .packets = {}, .text = "two datagrams"}};
  collection.add_query(record, found, true);
  record.id = "do53:4";
  record.cell = "do53";
  collection.add_query(record, {}, false);
  return collection;
}

std::string render(Colors colors, RunFacts under = facts()) {
  const analysis::Summary summary = example();
  const std::vector<analysis::Expectation> claims{
      {"doq", "answered", 300, 300}, {"do53", "no_answer", 0, 3}, {"few", "p99", 0, 1e9}};
  return render_table(summary, analysis::judge(claims, summary), findings(), under, colors);
}

TEST(Table, LooksAsItWasReviewed) {
  expect_golden("table.txt", render(Colors::kOff));
}

TEST(Table, FitsAHundredColumns) {
  const std::string text = render(Colors::kOff);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    EXPECT_LE(end - start, 100U) << text.substr(start, end - start);
    start = end + 1;
  }
}

TEST(Table, ColoursChangeNothingButColours) {
  const std::string plain = render(Colors::kOff);
  std::string coloured = render(Colors::kOn);
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  EXPECT_THAT(coloured, HasSubstr("\x1b[31mBROKEN\x1b[0m"));
  for (std::size_t start = coloured.find('\x1b'); start != std::string::npos;
       start = coloured.find('\x1b'))
    coloured.erase(start, coloured.find('m', start) + 1 - start);
  EXPECT_EQ(coloured, plain);
}

TEST(Table, InvalidBlocksAreShownWithTheirReasons) {
  RunFacts under = facts();
  under.validity = "block 2: a capture dropped 3 packets\nblock 4: RTT measured 41 ms";
  const std::string text = render(Colors::kOff, under);
  EXPECT_THAT(text, HasSubstr("INVALID       block 2: a capture dropped 3 packets\n"));
  EXPECT_THAT(text, HasSubstr("INVALID       block 4: RTT measured 41 ms\n"));
}

TEST(Table, ServersThatEndedAreShown) {
  RunFacts under = facts();
  under.server_ends = "unbound ended (exit code 1) during a query\nbackend ended badly";
  const std::string text = render(Colors::kOff, under);
  EXPECT_THAT(text, HasSubstr("SERVER        unbound ended (exit code 1) during a query\n"));
  EXPECT_THAT(text, HasSubstr("SERVER        backend ended badly\n"));
}

TEST(TableText, CensoredPercentilesAndBounds) {
  const analysis::Percentile beyond_all{
      .value = {}, .lower = {}, .upper = {}, .censored = true, .reason = "x"};
  EXPECT_EQ(percentile_text(beyond_all, 10s), "> 10s");
  EXPECT_EQ(interval_text(beyond_all, 10s), "> 10s");
  const analysis::Percentile half{
      .value = {}, .lower = 1034ms, .upper = {}, .censored = true, .reason = "x"};
  EXPECT_EQ(interval_text(half, 10s), "1034.0-> 10s");
  const analysis::Percentile few{
      .value = {}, .lower = {}, .upper = {}, .censored = false, .reason = "few"};
  EXPECT_EQ(percentile_text(few, 10s), "-");
  EXPECT_EQ(interval_text(few, 10s), "");
}

}  // namespace
}  // namespace harness
