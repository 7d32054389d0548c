#include "harness/compare.hh"

#include "base/errors.hh"
#include "base/temporary_folder.hh"
#include "harness/scenario.hh"
#include "harness/scenario_error.hh"
#include "tests/harness/golden.hh"
#include "tests/harness/hand_made_run.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <format>
#include <functional>
#include <string>

namespace harness {
namespace {

using namespace std::chrono_literals;
using captures::Outcome;
using captures::QueryRecord;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Six blocks of two queries each over do53 and doq.
constexpr const char* kTwelve =
    "name: twelve\nseed: 7\nblock_queries: 2\n"
    "client: { transports: [do53, doq], queries: 12 }\n";

Plan plan_of(const std::string& text, const std::vector<std::string>& assignments = {}) {
  Overrides overrides;
  overrides.assignments = assignments;
  return make_plan(parse_scenario(text, "x.yaml", overrides));
}

// Every planned query answered after 40 ms, analysed, with nothing found; `change` makes it what a
// test needs.
HandMadeRun run_of(const Plan& plan, const std::function<void(QueryRecord&)>& change = {}) {
  HandMadeRun run{.plan = plan, .records = {}};
  for (const PlannedBlock& block : plan.blocks) {
    for (const PlannedQuery& query : block.queries) {
      const PlannedCell& cell = plan.cells[query.cell];
      QueryRecord record;
      record.id = query.id;
      record.cell = cell.name;
      record.transport = to_string(cell.transport);
      record.block = block.index;
      record.index = query.index;
      record.seed = query.seed;
      record.outcome = Outcome::kAnswered;
      record.time = 40ms;
      record.unexplained = 0ns;
      record.wire = captures::WireCounts{.client = {1, 67}, .server = {1, 144}};
      if (change) change(record);
      run.records.push_back(record);
    }
  }
  return run;
}

void leave_unanswered(QueryRecord& record) {
  record.outcome = Outcome::kNoAnswer;
  record.time.reset();
  record.unexplained.reset();
}

// Runs of spaces as one, so that a row can be looked for.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c != ' ' || result.empty() || result.back() != ' ') result += c;
  return result;
}

class Compare : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() / name; }
  void write(const std::string& name, const HandMadeRun& run) { write_run(path(name), run); }

  void write(const std::string& name, const Plan& plan,
             const std::function<void(QueryRecord&)>& change) {
    write(name, run_of(plan, change));
  }

  std::string whole(const std::string& target, const std::vector<std::string>& compared) const {
    CommandLine command;
    command.command = Command::kCompare;
    command.target = path(target);
    command.compared = compared;
    command.color = ColorWhen::kNever;
    return comparison_of(command);
  }
  std::string runs(const std::string& a, const std::string& b) const {
    return squeezed(whole(a, {path(b)}));
  }
  // The message of the mistake; empty where there was none.
  std::string mistake(const std::string& target, const std::vector<std::string>& compared) const {
    try {
      static_cast<void>(whole(target, compared));
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  }

  base::TemporaryFolder folder_;
};

TEST_F(Compare, AConstantDifferenceIsExact) {
  const Plan plan = plan_of(kTwelve);
  write("a", plan, [](QueryRecord& record) {
    if (record.cell == "doq") record.time = 120ms;
    record.wire->client = {3, 200};
  });
  write("b", plan, [](QueryRecord& record) {
    if (record.cell == "doq") record.time = 80ms;
  });
  const std::string text = runs("a", "b");
  EXPECT_THAT(text, HasSubstr("doq 12 pairs in 6 blocks\n"));
  EXPECT_THAT(text, HasSubstr("p50 120.0 80.0 +40.0 +40.0 to +40.0 A slower\n"));
  EXPECT_THAT(text, HasSubstr("median of pairs +40.0 +40.0 to +40.0 A slower\n"));
  EXPECT_THAT(text, HasSubstr("slower blocks, of 6 6 0\n"));
  EXPECT_THAT(text, HasSubstr("packets, client 3.00 1.00 +2.00\n"));
  EXPECT_THAT(text, HasSubstr("IP bytes, client 200.0 67.0 +133.0\n"));
  EXPECT_THAT(text, HasSubstr("\nA slower doq (p50, median of pairs)\n"));
  EXPECT_THAT(text, Not(HasSubstr("\nB slower")));
  // The other way round everything has the other sign.
  const std::string other = runs("b", "a");
  EXPECT_THAT(other, HasSubstr("p50 80.0 120.0 -40.0 -40.0 to -40.0 B slower\n"));
  EXPECT_THAT(other, HasSubstr("slower blocks, of 6 0 6\n"));
}

// Twelve differences of -5 to +6 ms: the median is 0.5, its interval the 3rd and the 10th.
TEST_F(Compare, AnIntervalThatHoldsZeroIsNoDifference) {
  const Plan plan = plan_of(kTwelve);
  write("a", plan, [](QueryRecord& record) { record.time = 35ms + record.index * 1ms; });
  write("b", run_of(plan));
  const std::string text = runs("a", "b");
  EXPECT_THAT(text, HasSubstr("median of pairs +0.5 -3.0 to +4.0 holds 0\n"));
  // Nearest rank: the sixth of 35 to 46.
  EXPECT_THAT(text, HasSubstr("p50 40.0 40.0 0.0 "));
  EXPECT_THAT(text, HasSubstr("\nslower neither, by the intervals above\n"));
  // Blocks of two, by the first of them: 35, 37, 39 before 40, and 41, 43, 45 after it.
  EXPECT_THAT(text, HasSubstr("slower blocks, of 6 3 3\n"));
}

TEST_F(Compare, ARunAgainstItselfIsAllZeros) {
  write("a", plan_of(kTwelve), [](QueryRecord& record) {
    record.time = 40ms + record.index * 7ms;
    if (record.index == 3) leave_unanswered(record);
    record.findings = {"retry"};
  });
  const std::string text = runs("a", "a");
  EXPECT_THAT(text, HasSubstr("7 of both: the n-th packet"));
  EXPECT_THAT(text, HasSubstr("no answer 1 1 0 only A 0, only B 0 p = 1.00\n"));
  EXPECT_THAT(text, HasSubstr("packets, client 1.00 1.00 0.00\n"));
  EXPECT_THAT(text, HasSubstr("slower blocks, of 6 0 0\n"));
  EXPECT_THAT(text, HasSubstr("\nslower neither, by the intervals above\n"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr(" +")), Not(HasSubstr(" -0")), Not(HasSubstr("differs")),
                          Not(HasSubstr("retry"))));
}

TEST_F(Compare, QueriesWithoutAnAnswerAreCountedAndTested) {
  const Plan plan = plan_of(kTwelve);
  // All but six of A's; one of them failed at once, which is no better.
  write("a", plan, [](QueryRecord& record) {
    if (record.cell == "do53" && record.index < 6) leave_unanswered(record);
    if (record.cell == "do53" && record.index == 5) record.outcome = Outcome::kFailed;
  });
  write("b", run_of(plan));
  const std::string text = runs("a", "b");
  // McNemar: twice the chance of six of six, 2/64.
  EXPECT_THAT(text, HasSubstr("no answer 6 0 +6 only A 6, only B 0 p = 0.031\n"));
  // Six differences of 0 and six beyond everything: the middle two are on either side.
  EXPECT_THAT(text, HasSubstr("median of pairs A > 10s 0.0 and more holds 0\n"));
  EXPECT_THAT(text, HasSubstr("slower blocks, of 6 3 0\n"));
}

TEST_F(Compare, TheShorterTimeoutHoldsForBothSides) {
  const Plan plan = plan_of(kTwelve);
  write("a", plan, [](QueryRecord& record) {
    if (record.index == 0) record.time = 3s;
  });
  write("b", plan_of(kTwelve, {"client.timeout=2s"}), [](QueryRecord& record) {
    if (record.index == 0) leave_unanswered(record);
  });
  const std::string text = runs("a", "b");
  EXPECT_THAT(text, HasSubstr("differs client.timeout 10s / 2s (A / B)\n"));
  EXPECT_THAT(text, HasSubstr("what took longer than 2s counts as no answer"));
  EXPECT_THAT(text, HasSubstr("no answer 1 1 0 only A 0, only B 0"));
}

TEST_F(Compare, FindingsThatDifferStandSideBySide) {
  const Plan plan = plan_of(kTwelve);
  write("a", plan, [](QueryRecord& record) {
    if (record.cell != "doq") return;
    record.findings = {"client-hello-split"};
    if (record.index < 2) record.findings.emplace_back("quic-pto");
    if (record.index == 0) record.unexplained = 5ms;
  });
  write("b", plan, [](QueryRecord& record) {
    if (record.cell != "doq") return;
    record.findings = {"retry", "client-hello-split"};
    if (record.index < 5) record.findings.emplace_back("quic-pto");
    if (record.index == 1) record.findings.emplace_back("of-a-later-version");
  });
  const std::string text = runs("a", "b");
  EXPECT_THAT(text, HasSubstr("retry 0 12 -12 only B\n"
                              "quic-pto 2 5 -3\n"
                              "of-a-later-version 0 1 -1 only B\n"
                              "unexplained 1 0 +1\n"));
  EXPECT_THAT(text, Not(HasSubstr("client-hello-split")));
}

TEST_F(Compare, InvalidBlocksOfEitherRunAreLeftOut) {
  const Plan plan = plan_of(kTwelve);
  HandMadeRun a = run_of(plan, [](QueryRecord& record) {
    if (record.block == 1) record.time = 9s;
  });
  a.distrust[1] = "a capture dropped 3 packets";
  HandMadeRun b = run_of(plan);
  b.distrust[4] = "RTT measured 41 ms";
  write("a", a);
  write("b", b);
  const std::string text = runs("a", "b");
  EXPECT_THAT(text, HasSubstr("INVALID left out: block 1 of A, which failed the fidelity proof\n"));
  EXPECT_THAT(text, HasSubstr("INVALID left out: block 4 of B, which failed the fidelity proof\n"));
  EXPECT_THAT(text, HasSubstr("doq 8 pairs in 4 blocks\n"));
  EXPECT_THAT(text, HasSubstr("p50 40.0 40.0 0.0 no interval\n"));
  EXPECT_THAT(text, HasSubstr("no interval percentiles need 6 blocks"));
  const std::string one = whole("a", {"do53", "doq"});
  EXPECT_THAT(one, HasSubstr("left out: block 1, which failed the fidelity proof\n"));
  EXPECT_THAT(one, HasSubstr("10 pairs in 5 blocks\n"));
}

TEST_F(Compare, SaysWhatTheRunsDoNotHaveInCommon) {
  HandMadeRun a = run_of(plan_of(kTwelve, {"client.transports=[do53, dot, doq]"}));
  // Blocks 4 and 5 never came to their end, block 3 was cut.
  std::erase_if(a.records, [](const QueryRecord& record) {
    return record.block > 3 || (record.block == 3 && record.index == 7);
  });
  a.complete = false;
  HandMadeRun b = run_of(plan_of(kTwelve, {"seed=8", "client.transports=[do53, doh3, doq]"}));
  b.versions["ngtcp2"] = "1.23.0";
  write("a", a);
  write("b", b);
  const std::string text = runs("a", "b");
  EXPECT_THAT(text, HasSubstr("seed 7 of A, 8 of B: queries are paired by block and index only"));
  EXPECT_THAT(text, HasSubstr("ngtcp2 1.22.1 / 1.23.0 (A / B)\n"));
  EXPECT_THAT(text, HasSubstr("only in A dot\n"));
  EXPECT_THAT(text, HasSubstr("only in B doh3\n"));
  EXPECT_THAT(text, HasSubstr("incomplete A was stopped: its finished blocks are compared\n"));
  EXPECT_THAT(text, HasSubstr("doq 6 pairs in 3 blocks; without a partner: A 0, B 6\n"));
}

TEST_F(Compare, RunsFromBeforeFindingsAreCompared) {
  const Plan plan = plan_of(kTwelve);
  write("old", plan, [](QueryRecord& record) { record.unexplained.reset(); });
  write("new", plan, [](QueryRecord& record) { record.findings = {"unpadded-query"}; });
  const std::string text = runs("old", "new");
  EXPECT_THAT(text, HasSubstr("findings A has queries without any: \"labrun analyze"));
  EXPECT_THAT(text, Not(HasSubstr("findings B has")));
  EXPECT_THAT(text, HasSubstr("unpadded-query 0 12 -12 only B\n"));
}

TEST_F(Compare, BadInputIsOneClearMessage) {
  const Plan plan = plan_of(kTwelve);
  write("a", run_of(plan));
  write("dot", run_of(plan_of(kTwelve, {"client.transports=[dot]"})));
  HandMadeRun empty{.plan = plan, .records = {}};
  empty.complete = false;
  write("empty", empty);
  EXPECT_THAT(mistake("nowhere", {path("a")}), HasSubstr("nowhere is no run directory"));
  EXPECT_THAT(mistake("a", {path("nowhere")}), HasSubstr("nowhere is no run directory"));
  EXPECT_THAT(mistake("a", {"do53", "doz"}),
              HasSubstr("has no cell \"doz\"; its cells are do53, doq"));
  EXPECT_THAT(mistake("a", {"doq"}), HasSubstr("name the cell to compare it with"));
  EXPECT_THAT(mistake("a", {path("dot")}), HasSubstr("no cell in common: do53, doq against dot"));
  EXPECT_THAT(mistake("a", {path("empty")}),
              AllOf(HasSubstr("nothing to compare"), HasSubstr("stopped")));
}

TEST_F(Compare, RecordsOutOfOrderAreABrokenRun) {
  HandMadeRun run = run_of(plan_of(kTwelve));
  std::ranges::reverse(run.records);
  write("a", run);
  EXPECT_THROW(runs("a", "a"), base::LabError);
}

// 350 queries in seven blocks, made by simple rules; what is printed was reviewed as a whole.
HandMadeRun reviewed_run(base::Nanoseconds doq_time, std::uint64_t doq_repairs_each,
                         std::uint64_t silent_each) {
  const std::string text =
      "name: reviewed\nseed: 7\nclient: { transports: [do53, dot, doq], queries: 350 }\n";
  return run_of(plan_of(text), [=](QueryRecord& record) {
    if (record.cell == "do53" && record.index % silent_each == 1) leave_unanswered(record);
    if (record.cell == "dot") record.time = 120ms + (record.index * 37 % 100) * 1ms;
    if (record.cell != "doq") return;
    record.time = doq_time;
    record.wire = captures::WireCounts{.client = {5, 2662}, .server = {5, 3253}};
    if (doq_time > 100ms) {
      record.findings.emplace_back("retry");
      record.wire->client = {6, 3890};
    }
    if (record.index % doq_repairs_each == 0) {
      record.findings.emplace_back("quic-pto");
      *record.time += 999ms;
    }
  });
}

TEST_F(Compare, LooksAsItWasReviewed) {
  HandMadeRun a = reviewed_run(120ms, 50, 40);
  HandMadeRun b = reviewed_run(80ms, 30, 100);
  b.versions["ngtcp2"] = "1.23.0";
  b.distrust[5] = "a capture dropped 3 packets";
  for (QueryRecord& record : b.records)
    if (record.cell == "dot") *record.time += (record.index * 53 % 11) * 1ms - 5ms;
  write("a", a);
  write("b", b);
  std::string text = whole("a", {path("b")});
  // Everything but where the runs are.
  text = text.substr(text.find("seed "));
  expect_golden("compare.txt", text);
  EXPECT_EQ(whole("a", {path("b")}), whole("a", {path("b")}));
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    EXPECT_LE(end - start, 100U) << text.substr(start, end - start);
    start = end + 1;
  }
}

}  // namespace
}  // namespace harness
