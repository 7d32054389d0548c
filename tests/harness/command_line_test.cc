#include "harness/command_line.hh"

#include "harness/scenario_error.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace harness {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CommandLine parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "labrun");
  return parse_command_line(arguments);
}

std::string complaint(std::vector<std::string> arguments) {
  try {
    static_cast<void>(parse(std::move(arguments)));
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CommandLine, RunIsWhatOneWordMeans) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"x.yaml"}, std::vector<std::string>{"run", "x.yaml"}}) {
    const CommandLine command = parse(arguments);
    EXPECT_EQ(command.command, Command::kRun);
    EXPECT_EQ(command.scenario, "x.yaml");
    EXPECT_EQ(command.kernel, KernelKind::kLab);
    EXPECT_EQ(command.color, ColorWhen::kAuto);
    EXPECT_FALSE(command.jobs);
    EXPECT_FALSE(command.out);
    EXPECT_FALSE(command.quiet);
    EXPECT_THAT(command.overrides.assignments, IsEmpty());
  }
}

TEST(CommandLine, UnderstandsEveryOption) {
  const CommandLine command = parse({"--seed",       "7",
                                     "--queries=20", "x.yaml",
                                     "--blocks",     "2",
                                     "--only",       "doq",
                                     "--only",       "retry=always/dot",
                                     "--set",        "client.timeout=5s",
                                     "--set",        "vary={}",
                                     "--kernel",     "host",
                                     "--jobs",       "3",
                                     "--out",        "here",
                                     "--quiet",      "--color",
                                     "never"});
  EXPECT_EQ(command.command, Command::kRun);
  EXPECT_EQ(command.scenario, "x.yaml");
  EXPECT_THAT(command.overrides.assignments,
              ElementsAre("seed=7", "client.queries=20", "client.timeout=5s", "vary={}"));
  EXPECT_EQ(command.overrides.blocks, 2U);
  EXPECT_THAT(command.only, ElementsAre("doq", "retry=always/dot"));
  EXPECT_EQ(command.kernel, KernelKind::kHost);
  EXPECT_EQ(command.jobs, 3U);
  EXPECT_EQ(command.out, "here");
  EXPECT_TRUE(command.quiet);
  EXPECT_EQ(command.color, ColorWhen::kNever);
}

TEST(CommandLine, SubcommandsTakeWhatMakesSense) {
  EXPECT_EQ(parse({"check", "x.yaml", "--set", "seed=1"}).command, Command::kCheck);
  EXPECT_TRUE(parse({"plan", "x.yaml", "--json"}).json);
  EXPECT_EQ(parse({"doctor"}).command, Command::kDoctor);
  EXPECT_THAT(complaint({"doctor", "x.yaml"}), HasSubstr("x.yaml"));
  const CommandLine servers = parse({"servers", "--only", "knot", "--only", "bind", "--json"});
  EXPECT_EQ(servers.command, Command::kServers);
  EXPECT_THAT(servers.only, testing::ElementsAre("knot", "bind"));
  EXPECT_TRUE(servers.json);
  EXPECT_EQ(parse({"servers", "--release", "testing"}).release, "testing");
  EXPECT_THAT(complaint({"servers", "--release", "sid"}), HasSubstr("--release"));
  EXPECT_THAT(complaint({"servers", "--json", "--markdown"}), HasSubstr("--markdown"));
  EXPECT_THAT(complaint({"servers", "x.yaml"}), HasSubstr("x.yaml"));
  EXPECT_THAT(complaint({"check", "x.yaml", "--jobs", "2"}), HasSubstr("--jobs"));
}

TEST(CommandLine, MistakesSayWhatAndHow) {
  EXPECT_THAT(complaint({}), AllOf(HasSubstr("SCENARIO"), HasSubstr("labrun --help")));
  EXPECT_THAT(complaint({"x.yaml", "--kernel", "mine"}), HasSubstr("--kernel"));
  EXPECT_THAT(complaint({"x.yaml", "--queries", "0"}), HasSubstr("--queries"));
  EXPECT_THAT(complaint({"x.yaml", "--queries", "-3"}), HasSubstr("--queries"));
  EXPECT_THAT(complaint({"x.yaml", "--seed", "x"}), HasSubstr("--seed"));
  EXPECT_THAT(complaint({"x.yaml", "--jobs", "0"}), HasSubstr("--jobs"));
  EXPECT_THAT(complaint({"x.yaml", "y.yaml"}), HasSubstr("y.yaml"));
  EXPECT_THAT(complaint({"x.yaml", "--sead", "1"}), HasSubstr("--sead"));
}

TEST(CommandLine, ExactWalksAScenario) {
  const CommandLine plain = parse({"exact", "x.yaml"});
  EXPECT_EQ(plain.command, Command::kExact);
  EXPECT_EQ(plain.scenario, "x.yaml");
  EXPECT_FALSE(plain.max_drops || plain.against || plain.resume);
  const CommandLine command =
      parse({"exact", "x.yaml", "--max-drops", "0", "--against", "runs/x", "--resume", "runs/y",
             "--only", "doq", "--jobs", "3", "--out", "here", "--quiet"});
  EXPECT_EQ(command.max_drops, 0U);
  EXPECT_EQ(command.against, "runs/x");
  EXPECT_EQ(command.resume, "runs/y");
  EXPECT_THAT(command.only, ElementsAre("doq"));
  EXPECT_EQ(command.jobs, 3U);
  EXPECT_EQ(command.out, "here");
  EXPECT_TRUE(command.quiet);
  // Walks need virtual time.
  EXPECT_THAT(complaint({"exact", "x.yaml", "--kernel", "host"}), HasSubstr("--kernel"));
  EXPECT_EQ(parse({"exact", "x.yaml", "--max-drops", "6"}).max_drops, 6U);
}

TEST(CommandLine, MapTakesPairsAtMostOrLateness) {
  const CommandLine plain = parse({"map", "x.yaml"});
  EXPECT_EQ(plain.command, Command::kMap);
  EXPECT_FALSE(plain.max_drops || plain.late || plain.resume);
  EXPECT_EQ(parse({"map", "x.yaml", "--max-drops", "1"}).max_drops, 1U);
  EXPECT_EQ(parse({"map", "x.yaml", "--late", "1.5ms"}).late, std::chrono::microseconds(1500));
  EXPECT_EQ(parse({"map", "x.yaml", "--resume", "runs/y"}).resume, "runs/y")
      << "an interrupted map says that it can be gone on with";
}

TEST(CommandLine, ReplayTakesQueriesOfARun) {
  const CommandLine command = parse({"replay", "runs/x", "dot:slowest:50", "doq:17", "--times", "3",
                                     "--record", "new.yaml", "--quiet", "--color", "always"});
  EXPECT_EQ(command.command, Command::kReplay);
  EXPECT_EQ(command.target, "runs/x");
  EXPECT_THAT(command.queries, ElementsAre("dot:slowest:50", "doq:17"));
  EXPECT_EQ(command.times, 3U);
  EXPECT_EQ(command.record, "new.yaml");
  EXPECT_TRUE(command.quiet);
  EXPECT_EQ(command.color, ColorWhen::kAlways);
  const CommandLine plain = parse({"replay", "runs/x", "worst"});
  EXPECT_EQ(plain.times, 1U);
  EXPECT_FALSE(plain.record || plain.slower_by);
}

TEST(CommandLine, MinimizeTakesOneQuery) {
  const CommandLine command =
      parse({"minimize", "runs/x", "doq:worst", "--slower-by", "250ms", "--record", "new.yaml"});
  EXPECT_EQ(command.command, Command::kMinimize);
  EXPECT_EQ(command.target, "runs/x");
  EXPECT_THAT(command.queries, ElementsAre("doq:worst"));
  EXPECT_EQ(command.slower_by, std::chrono::milliseconds(250));
  EXPECT_EQ(command.record, "new.yaml");
  EXPECT_FALSE(parse({"minimize", "runs/x", "worst"}).slower_by);
}

TEST(CommandLine, MistakesInWalksAndRetriesSayWhatAndHow) {
  EXPECT_THAT(complaint({"exact"}), HasSubstr("SCENARIO"));
  EXPECT_THAT(complaint({"exact", "x.yaml", "--max-drops", "7"}), HasSubstr("--max-drops"));
  EXPECT_THAT(complaint({"exact", "x.yaml", "--max-drops", "-1"}), HasSubstr("--max-drops"));
  EXPECT_THAT(complaint({"exact", "x.yaml", "--late", "2ms"}), HasSubstr("--late"));
  for (const char* drops : {"0", "3", "two"})
    EXPECT_THAT(complaint({"map", "x.yaml", "--max-drops", drops}), HasSubstr("--max-drops"));
  for (const char* time : {"0ms", "2", "-2ms", "soon"})
    EXPECT_THAT(complaint({"map", "x.yaml", "--late", time}),
                AllOf(HasSubstr("--late"), HasSubstr("no duration such as 2ms")));
  EXPECT_THAT(complaint({"map", "x.yaml", "--against", "runs/x"}), HasSubstr("--against"));
  EXPECT_THAT(complaint({"replay", "runs/x"}), HasSubstr("QUERY"));
  EXPECT_THAT(complaint({"replay", "runs/x", "worst", "--times", "0"}), HasSubstr("--times"));
  EXPECT_THAT(complaint({"replay", "runs/x", "worst", "--slower-by", "2ms"}),
              HasSubstr("--slower-by"));
  EXPECT_THAT(complaint({"minimize", "runs/x", "worst", "median"}), HasSubstr("QUERY"));
  EXPECT_THAT(complaint({"minimize", "runs/x", "worst", "--slower-by", "0s"}),
              HasSubstr("--slower-by"));
  EXPECT_THAT(complaint({"minimize", "runs/x", "worst", "--times", "2"}), HasSubstr("--times"));
  EXPECT_THAT(complaint({"x.yaml", "--max-drops", "2"}), HasSubstr("--max-drops"));
}

TEST(CommandLine, HelpAndVersionAreTexts) {
  const CommandLine help = parse({"--help"});
  EXPECT_EQ(help.command, Command::kShow);
  for (const char* part : {"labrun [run] SCENARIO", "--queries", "--only CELL", "--set KEY=VALUE",
                           "Exit codes:", "docs/scenarios.md", "labrun doctor"})
    EXPECT_THAT(help.text, HasSubstr(part));
  for (std::size_t start = 0; start < help.text.size();) {
    const std::size_t end = help.text.find('\n', start);
    EXPECT_LE(end - start, 100U) << help.text.substr(start, end - start);
    start = end + 1;
  }
  EXPECT_THAT(parse({"--version"}).text, testing::StartsWith("labrun "));
  EXPECT_EQ(parse({"plan", "--help"}).command, Command::kShow);
}

TEST(ReproduceCommand, GivesTheSamePlanAgain) {
  const CommandLine command =
      parse({"dir/my scenario.yaml", "--queries", "20", "--blocks", "2", "--set",
             "path.each_way.loss=2%", "--set", "vary={}", "--only", "doq", "--jobs", "2"});
  EXPECT_EQ(
      reproduce_command(command, 99),
      "labrun 'dir/my scenario.yaml' --queries 20 --set path.each_way.loss=2% --set 'vary={}' "
      "--blocks 2 --only doq --seed 99");
  EXPECT_EQ(reproduce_command(parse({"it's.yaml", "--kernel", "host", "--seed", "4"}), 4),
            "labrun 'it'\\''s.yaml' --kernel host --seed 4");
}

TEST(ReproduceCommand, NamesWhatIsWalked) {
  EXPECT_EQ(reproduce_command(parse({"exact", "x.yaml"}), 7), "labrun exact x.yaml --seed 7");
  // Where it was kept and what it was held against is no part of the walk.
  EXPECT_EQ(reproduce_command(parse({"exact", "x.yaml", "--max-drops", "3", "--only", "doq",
                                     "--against", "runs/x", "--resume", "runs/y", "--jobs", "2"}),
                              7),
            "labrun exact x.yaml --only doq --max-drops 3 --seed 7");
  EXPECT_EQ(reproduce_command(parse({"map", "x.yaml", "--max-drops", "1"}), 7),
            "labrun map x.yaml --max-drops 1 --seed 7");
  EXPECT_EQ(reproduce_command(parse({"map", "x.yaml", "--late", "1.5ms"}), 7),
            "labrun map x.yaml --late 1.5ms --seed 7");
}

}  // namespace
}  // namespace harness
