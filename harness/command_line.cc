#include "harness/command_line.hh"

#include "base/units.hh"
#include "base/version.hh"
#include "harness/bundle_text.hh"
#include "harness/help_text.hh"
#include "harness/scenario_error.hh"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <format>
#include <functional>
#include <string_view>
#include <utility>

namespace harness {
namespace {

constexpr std::array<std::pair<std::string_view, Command>, 13> kCommands{
    {{"run", Command::kRun},
     {"check", Command::kCheck},
     {"plan", Command::kPlan},
     {"analyze", Command::kAnalyze},
     {"explain", Command::kExplain},
     {"compare", Command::kCompare},
     {"exact", Command::kExact},
     {"map", Command::kMap},
     {"replay", Command::kReplay},
     {"minimize", Command::kMinimize},
     {"bundle", Command::kBundle},
     {"servers", Command::kServers},
     {"doctor", Command::kDoctor}}};

// What the options are parsed into before they become a CommandLine.
struct Options {
  std::string scenario;
  std::vector<std::string> set;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint32_t> queries;
  std::string kernel = "lab";
  std::string out;
  std::string color = "auto";
  std::string target;
  std::string keylog;
  std::string save;
  std::string resume;
  std::string against;
  std::string record;
  std::string slower_by;
  std::string late;
};

// Checks whose ranges the help does not repeat after every option.
CLI::Validator counted(std::uint32_t most) {
  return CLI::Range(1U, most).description("");
}

CLI::Validator one_of(std::vector<std::string> words) {
  return CLI::IsMember(std::move(words)).description("");
}

void add_scenario_options(CLI::App& app, Options& options, CommandLine& command) {
  const std::string group = "What is measured";
  app.add_option("SCENARIO", options.scenario, "Scenario file (YAML)")
      ->required()
      ->option_text(" ");
  app.add_option("--queries", options.queries, "Queries per cell (client.queries)")
      ->group(group)
      ->type_name("N")
      ->check(counted(1000000));
  app.add_option("--blocks", command.overrides.blocks,
                 "Blocks that the queries are split into, each with a kernel of its own")
      ->group(group)
      ->type_name("N")
      ->check(counted(1000000));
  app.add_option("--seed", options.seed, "Seed: the same seed gives the same packets")
      ->group(group)
      ->type_name("N");
  app.add_option("--only", command.only,
                 "Measure this cell only, or this transport or arm (repeatable):\n"
                 "\"retry=always/doq\", \"doq\", \"retry=always\"")
      ->group(group)
      ->type_name("CELL")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--set", options.set,
                 "Change a key of the scenario: client.timeout=5s (repeatable)")
      ->group(group)
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
}

void add_color_option(CLI::App& app, Options& options) {
  app.add_option("--color", options.color, "Colour (auto: on a terminal)")
      ->type_name("auto|always|never")
      ->check(one_of({"auto", "always", "never"}));
}

void add_evidence_options(CLI::App& app, Command command, Options& options, CommandLine& into) {
  app.add_option("TARGET", options.target,
                 command == Command::kAnalyze ? "Run directory, or capture (pcapng or pcap)"
                                              : "Run directory")
      ->required()
      ->option_text(" ");
  if (command == Command::kAnalyze) {
    app.add_option("--keylog", options.keylog, "TLS keys in the NSS format (SSLKEYLOGFILE)")
        ->type_name("FILE");
    app.add_flag("--packets", into.packets, "One line of JSON for each packet of a capture");
  }
  if (command == Command::kExplain) {
    app.add_option("QUERY", into.query,
                   "Its id, or worst, median, or of one cell: dot:worst, dot:median")
        ->required()
        ->option_text(" ");
    app.add_flag("--all", into.all_details, "Every frame, range and acknowledgement");
    app.add_option("--save", options.save,
                   "Folder to create, for the query's packets of both ends, with its keys")
        ->type_name("DIR");
  }
  if (command == Command::kCompare)
    app.add_option("OTHER", into.compared, "Another run directory, or two cells of this run")
        ->required()
        ->expected(1, 2)
        ->option_text(" ");
  add_color_option(app, options);
}

void add_run_options(CLI::App& app, Options& options, CommandLine& command) {
  const std::string group = "How it is run";
  // Walks need virtual time.
  if (command.command == Command::kRun)
    app.add_option("--kernel", options.kernel,
                   "lab: a kernel of our own in virtual time, no root needed;\n"
                   "host: this machine's kernel in real time, as root")
        ->group(group)
        ->type_name("lab|host")
        ->check(one_of({"lab", "host"}));
  app.add_option("--jobs", command.jobs, "Blocks that run at once (default: one per core)")
      ->group(group)
      ->type_name("N")
      ->check(counted(256));
  app.add_option("--out", options.out, "Run directory to create (default: runs/<scenario>-<time>)")
      ->group(group)
      ->type_name("DIR");
  app.add_flag("--quiet", command.quiet, "No progress, only the table")->group(group);
  add_color_option(app, options);
}

CLI::Validator a_duration() {
  return CLI::Validator(
      [](const std::string& text) {
        const auto time = base::parse_duration(text);
        return time && *time > base::Nanoseconds(0) ? std::string()
                                                    : text + " is no duration such as 2ms";
      },
      "");
}

// Of `exact` and `map`, whose scenario says the rest.
void add_walk_options(CLI::App& app, Command command, Options& options, CommandLine& into) {
  const std::string group = "Which losses";
  CLI::Option* drops = app.add_option(
      "--max-drops", into.max_drops,
      command == Command::kExact
          ? "Losses in one query at most (default 2); each more takes some ten times\n"
            "as long and leaves a tenth unknown"
          : "1: each packet; 2: each pair as well (default)");
  drops->group(group)->type_name("N")->check(
      CLI::Range(command == Command::kExact ? 0U : 1U, command == Command::kExact ? 6U : 2U)
          .description(""));
  if (command == Command::kMap)
    app.add_option("--late", options.late, "Each packet later by so much instead of lost: 2ms")
        ->excludes(drops)
        ->group(group)
        ->type_name("TIME")
        ->check(a_duration());
  app.add_option("--resume", options.resume, "Directory of a walk that was interrupted")
      ->group("How it is run")
      ->type_name("DIR");
  if (command == Command::kExact)
    app.add_option("--against", options.against,
                   "Run directory of a sampled run, to be held against the exact distribution")
        ->group(group)
        ->type_name("RUN");
}

// Of `replay` and `minimize`.
void add_retry_options(CLI::App& app, Command command, Options& options, CommandLine& into) {
  app.add_option("RUN", options.target, "Run directory")->required()->option_text(" ");
  app.add_option("QUERY", into.queries,
                 "Its id, or worst, median, slowest:50, or of one cell: dot:worst, dot:slowest:50")
      ->required()
      ->expected(1, command == Command::kReplay ? 10000 : 1)
      ->option_text(" ");
  app.add_option("--record", options.record, "Scenario to write that does only this")
      ->type_name("FILE");
  if (command == Command::kReplay)
    app.add_option("--times", into.times, "How often")->type_name("N")->check(counted(10000));
  if (command == Command::kMinimize)
    app.add_option("--slower-by", options.slower_by,
                   "What counts as slow: longer than without losses by so much (default: half of\n"
                   "what the query was slower by)")
        ->type_name("TIME")
        ->check(a_duration());
  app.add_flag("--quiet", into.quiet, "No progress, only the result");
  add_color_option(app, options);
}

void add_bundle_options(CLI::App& app, Options& options, CommandLine& into) {
  app.add_option("RUN", options.target, "Run directory")->required()->option_text(" ");
  app.add_option("--query", into.queries,
                 "Query to pack, as for replay (repeatable); the first one leads (default: worst)")
      ->type_name("QUERY")
      ->take_all()
      ->allow_extra_args(false);
  std::vector<std::string> formats;
  for (const std::string_view format : report_formats()) formats.emplace_back(format);
  app.add_option("--format", into.format,
                 "Whose form the report has: generic (README.md only), nginx, knot, ngtcp2")
      ->type_name("FORMAT")
      ->check(one_of(std::move(formats)));
  app.add_option("--out", options.out, "File to write (default: <scenario>.tar.zst)")
      ->type_name("FILE");
  app.add_flag("--quiet", into.quiet, "No progress, only the result");
}

void add_verify_options(CLI::App& app, Options& options) {
  app.add_option("FILE", options.target, "Bundle (tar.zst)")->required()->option_text(" ");
}

void add_server_options(CLI::App& app, Options& options, CommandLine& into) {
  app.add_option("--only", into.only, "This server only (repeatable): nginx, nginx@testing")
      ->type_name("SERVER")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--release", into.release,
                 "Debian's release (default: stable, and testing where it has been fetched)")
      ->type_name("stable|testing")
      ->check(one_of({"stable", "testing"}));
  CLI::Option* json = app.add_flag("--json", into.json, "JSON instead of a table");
  app.add_flag("--markdown", into.markdown, "A table for documents")->excludes(json);
  app.add_option("--jobs", into.jobs, "Kernels that run at once (default: one per core)")
      ->type_name("N")
      ->check(counted(256));
  app.add_flag("--quiet", into.quiet, "No progress, only the table");
  add_color_option(app, options);
}

// The arguments after the command word. A scenario named like a command is written "./plan".
std::pair<Command, std::vector<std::string>> split_command(std::span<const std::string> arguments) {
  if (arguments.size() < 2) return {Command::kRun, {}};
  const auto named =
      std::ranges::find(kCommands, arguments[1], &std::pair<std::string_view, Command>::first);
  const bool is_named = named != kCommands.end();
  if (is_named && named->second == Command::kBundle && arguments.size() > 2 &&
      arguments[2] == "verify")
    return {Command::kVerifyBundle, {arguments.begin() + 3, arguments.end()}};
  return {is_named ? named->second : Command::kRun,
          {arguments.begin() + (is_named ? 2 : 1), arguments.end()}};
}

void set_up(CLI::App& app, Command command, Options& options, CommandLine& into) {
  app.usage("Usage: " + std::string(kUsage) + "\n");
  app.footer(std::string(kFooter));
  app.set_version_flag("--version", std::format("labrun {}", base::kVersion));
  app.get_formatter()->column_width(26);
  if (command == Command::kDoctor) return;
  if (command == Command::kServers) return add_server_options(app, options, into);
  if (command == Command::kAnalyze || command == Command::kExplain ||
      command == Command::kCompare) {
    add_evidence_options(app, command, options, into);
    return;
  }
  if (command == Command::kReplay || command == Command::kMinimize)
    return add_retry_options(app, command, options, into);
  if (command == Command::kBundle) return add_bundle_options(app, options, into);
  if (command == Command::kVerifyBundle) return add_verify_options(app, options);
  add_scenario_options(app, options, into);
  if (command == Command::kExact || command == Command::kMap)
    add_walk_options(app, command, options, into);
  if (command == Command::kRun || command == Command::kExact || command == Command::kMap)
    add_run_options(app, options, into);
  if (command == Command::kPlan)
    app.add_flag("--json", into.json, "Print plan.json instead of text");
}

void adopt(const Options& options, CommandLine& command) {
  command.scenario = options.scenario;
  command.target = options.target;
  if (!options.keylog.empty()) command.keylog = options.keylog;
  if (!options.save.empty()) command.save = options.save;
  if (!options.resume.empty()) command.resume = options.resume;
  if (!options.against.empty()) command.against = options.against;
  if (!options.record.empty()) command.record = options.record;
  command.slower_by = base::parse_duration(options.slower_by);
  command.late = base::parse_duration(options.late);
  // Before --set, so that the most explicit form has the last word.
  std::vector<std::string>& assignments = command.overrides.assignments;
  if (options.seed) assignments.push_back(std::format("seed={}", *options.seed));
  if (options.queries) assignments.push_back(std::format("client.queries={}", *options.queries));
  assignments.insert(assignments.end(), options.set.begin(), options.set.end());
  command.kernel = options.kernel == "host" ? KernelKind::kHost : KernelKind::kLab;
  if (!options.out.empty()) command.out = options.out;
  if (options.color == "always") command.color = ColorWhen::kAlways;
  if (options.color == "never") command.color = ColorWhen::kNever;
}

// As a POSIX shell reads back one word.
std::string shell_word(std::string_view word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-_./=:,+%@").contains(static_cast<char>(c));
  });
  if (plain) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + '\'';
}

}  // namespace

std::string_view to_string(KernelKind kernel) {
  return kernel == KernelKind::kLab ? "lab" : "host";
}

CommandLine parse_command_line(std::span<const std::string> arguments) {
  auto [command, rest] = split_command(arguments);
  CommandLine parsed;
  parsed.command = command;
  Options options;
  CLI::App app{std::string(kDescription), "labrun"};
  set_up(app, command, options, parsed);
  std::ranges::reverse(rest);  // CLI11 takes the arguments from the back
  try {
    app.parse(std::move(rest));
  } catch (const CLI::CallForHelp&) {
    parsed.command = Command::kShow;
    parsed.text = app.help();
    return parsed;
  } catch (const CLI::CallForVersion& version) {
    parsed.command = Command::kShow;
    parsed.text = std::format("{}\n", version.what());
    return parsed;
  } catch (const CLI::ParseError& error) {
    throw BadInput(
        std::format("labrun: {}\nUsage: {}\n\"labrun --help\" says more.", error.what(), kUsage));
  }
  adopt(options, parsed);
  return parsed;
}

std::string reproduce_command(const CommandLine& command, base::Seed seed) {
  std::string text = "labrun ";
  if (command.command == Command::kExact) text += "exact ";
  if (command.command == Command::kMap) text += "map ";
  text += shell_word(command.scenario.string());
  const auto add = [&](std::string_view option, std::string_view value) {
    text += std::format(" {} {}", option, shell_word(value));
  };
  for (const std::string& assignment : command.overrides.assignments) {
    if (assignment.starts_with("seed=")) continue;
    constexpr std::string_view kQueries = "client.queries=";
    if (assignment.starts_with(kQueries)) {
      add("--queries", std::string_view(assignment).substr(kQueries.size()));
    } else {
      add("--set", assignment);
    }
  }
  if (command.overrides.blocks) add("--blocks", std::to_string(*command.overrides.blocks));
  for (const std::string& cell : command.only) add("--only", cell);
  if (command.max_drops) add("--max-drops", std::to_string(*command.max_drops));
  if (command.late) add("--late", base::to_string(*command.late));
  if (command.kernel == KernelKind::kHost) add("--kernel", "host");
  add("--seed", std::to_string(seed));
  return text;
}

}  // namespace harness
