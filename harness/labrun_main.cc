#include "base/errors.hh"
#include "harness/block_process.hh"
#include "harness/command_line.hh"
#include "harness/execute.hh"
#include "harness/guest.hh"
#include "harness/scenario_error.hh"

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  // A reader that went away is an error of the write, not our end.
  std::signal(SIGPIPE, SIG_IGN);
  if (harness::is_guest()) harness::run_guest();
  if (harness::is_host_block()) return harness::run_host_block();
  try {
    const std::vector<std::string> arguments(argv, argv + argc);
    return harness::execute(harness::parse_command_line(arguments));
  } catch (const harness::BadInput& error) {
    std::cerr << error.what() << '\n';
    return base::kExitBadInput;
  } catch (const std::exception& error) {
    std::cerr << "labrun: " << base::describe_nested(error) << '\n';
    return base::kExitLabFailure;
  }
}
