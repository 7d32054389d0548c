#include "harness/execute.hh"

#include "base/errors.hh"
#include "harness/analyze.hh"
#include "harness/bundle.hh"
#include "harness/compare.hh"
#include "harness/doctor.hh"
#include "harness/exact.hh"
#include "harness/explain.hh"
#include "harness/image.hh"
#include "harness/map.hh"
#include "harness/minimize.hh"
#include "harness/plan.hh"
#include "harness/plan_json.hh"
#include "harness/plan_text.hh"
#include "harness/replay.hh"
#include "harness/run.hh"
#include "harness/scenario_error.hh"
#include "harness/servers.hh"

#include <format>
#include <iostream>

namespace harness {
namespace {

// A file that cannot be read is a mistake of the caller, not of the lab.
Scenario load(const CommandLine& command) {
  try {
    return load_scenario(command.scenario, command.overrides);
  } catch (const base::SystemError& error) {
    throw BadInput(std::format("labrun: {}", error.what()));
  }
}

int check(const CommandLine& command) {
  const Scenario scenario = load(command);
  const Plan plan = make_plan(scenario, command.only);
  std::cout << std::format("{}: valid: {} cells, {} queries each, {} blocks\n",
                           command.scenario.string(), plan.cells.size(), scenario.queries,
                           plan.blocks.size());
  return base::kExitSuccess;
}

int print_plan(const CommandLine& command) {
  const Plan plan = make_plan(load(command), command.only);
  std::cout << (command.json ? plan_to_json(plan) : describe(plan));
  return base::kExitSuccess;
}

int measure(const CommandLine& command) {
  const Scenario scenario = load(command);
  return run(command, find_image(), make_plan(scenario, command.only), scenario.text);
}

int walk(const CommandLine& command) {
  const Scenario scenario = load(command);
  const Plan plan = make_plan(scenario, command.only);
  return command.command == Command::kExact
             ? exact(command, find_image(), plan, scenario.text)
             : map_losses(command, find_image(), plan, scenario.text);
}

int obey(const CommandLine& command) {
  switch (command.command) {
    case Command::kShow:
      std::cout << command.text;
      return base::kExitSuccess;
    case Command::kCheck:
      return check(command);
    case Command::kPlan:
      return print_plan(command);
    case Command::kServers:
      return servers(command, find_image());
    case Command::kDoctor:
      return print_diagnosis(std::cout);
    case Command::kRun:
      return measure(command);
    case Command::kAnalyze:
      return analyze(command);
    case Command::kExplain:
      return explain(command);
    case Command::kCompare:
      return compare(command);
    case Command::kExact:
    case Command::kMap:
      return walk(command);
    case Command::kReplay:
      return replay(command, find_image());
    case Command::kMinimize:
      return minimize(command, find_image());
    case Command::kBundle:
      return bundle(command, find_image());
    case Command::kVerifyBundle:
      return verify_bundle(command);
  }
  LABRUN_ASSERT(false);
  return base::kExitLabFailure;
}

}  // namespace

int execute(const CommandLine& command) {
  const int code = obey(command);
  // A full disk or a reader that went away must not look like success.
  if (!std::cout.flush()) throw base::LabError("write to the standard output");
  return code;
}

}  // namespace harness
