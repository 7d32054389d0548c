#include "harness/command_line.hh"

#include "harness/scenario_error.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace harness
