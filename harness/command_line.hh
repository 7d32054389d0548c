#pragma once

// labrun's arguments, understood and checked, but not acted upon.

#include "base/rng.hh"
#include "harness/scenario.hh"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace harness {

enum class Command {
  kRun,           // build the lab, measure, explain, judge
  kCheck,         // validate the scenario and say so
  kPlan,          // print what kRun would do
  kAnalyze,       // explain a run again, or a capture that anybody made
  kExplain,       // print one query of a run packet by packet
  kCompare,       // two runs, or two cells of one run
  kExact,         // answer times of all loss patterns instead of a sample
  kMap,           // what the loss of each single packet costs
  kReplay,        // ask a query of a run again, with the packets lost that were lost then
  kMinimize,      // find the few losses that made a query of a run slow
  kBundle,        // pack queries of a run for a report to somebody else
  kVerifyBundle,  // hold a bundle to what it says
  kServers,       // say what each server can do, from answers of each
  kDoctor,        // say what this machine can do
  kShow,          // print `text` and succeed: --help, --version
};

// kLab: our own kernel in virtual time. kHost: the host's kernel in real time, as root.
enum class KernelKind { kLab, kHost };
enum class ColorWhen { kAuto, kAlways, kNever };

struct CommandLine {
  Command command = Command::kRun;
  std::filesystem::path scenario;     // of kRun, kCheck and kPlan
  Overrides overrides;                // --set, --seed, --queries, --blocks
  std::vector<std::string> only;      // cells, transports or arms; of kServers servers; empty: all
  std::optional<std::uint32_t> jobs;  // blocks at once; none: one per core
  KernelKind kernel = KernelKind::kLab;
  std::optional<std::filesystem::path> out;  // run directory to create; none: runs/<name>-<utc>
  bool quiet = false;                        // no progress, only the table
  ColorWhen color = ColorWhen::kAuto;
  bool json = false;  // plan as plan.json, the table of servers as JSON
  std::string text;   // for kShow

  std::filesystem::path target;  // of kAnalyze, kExplain, kCompare: run directory or capture file
  std::optional<std::filesystem::path> keylog;  // of kAnalyze: keys beside the capture
  bool packets = false;                         // of kAnalyze: one line of JSON per packet
  std::string query;         // of kExplain: "dot:117", "worst", "median", "dot:worst", "dot:median"
  bool all_details = false;  // of kExplain: every frame and range
  std::optional<std::filesystem::path> save;  // of kExplain: folder for the query's packets
  std::vector<std::string> compared;          // of kCompare: one run directory, or two cells

  std::optional<std::uint32_t> max_drops;        // of kExact and kMap
  std::optional<std::filesystem::path> resume;   // of both: directory of an interrupted walk
  std::optional<std::filesystem::path> against;  // of kExact: a sampled run to be judged by it
  std::vector<std::string> queries;              // of kReplay, kBundle: ids, or as `query`
  std::uint32_t times = 1;                       // of kReplay
  std::optional<std::filesystem::path> record;   // of kReplay and kMinimize: scenario to write
  std::optional<base::Nanoseconds> slower_by;    // of kMinimize: than without losses
  std::string format = "generic";                // of kBundle: one of report_formats()
  std::optional<base::Nanoseconds> late;         // of kMap: instead of dropped, later by this
  std::optional<std::string> release;            // of kServers: "stable" or "testing"
  bool markdown = false;                         // of kServers
};

// `arguments` as main() has them, the program's name first. Throws BadInput with a text that says
// what is wrong and how to get help.
CommandLine parse_command_line(std::span<const std::string> arguments);

// The command that repeats this run, its seed written out: "labrun scenarios/loss2pct.yaml --seed
// 7". Arguments that a shell would read differently are quoted.
std::string reproduce_command(const CommandLine& command, base::Seed seed);

std::string_view to_string(KernelKind kernel);  // "lab", "host"

}  // namespace harness
