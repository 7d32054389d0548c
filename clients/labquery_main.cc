// labquery, the measuring client: one cold DNS query per line of input (--batch) or per command.

#include "base/clock.hh"
#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "clients/ask.hh"
#include "clients/batch.hh"
#include "clients/command_line.hh"
#include "clients/query_runner.hh"

#include <exception>
#include <iostream>
#include <unistd.h>
#include <utility>

namespace {

int serve_batch(const clients::CommandLine& command) {
  const base::FileDescriptor requests(STDIN_FILENO);
  const base::FileDescriptor records(STDOUT_FILENO);
  const base::SystemClock clock;
  base::FileDescriptor live_keys;
  if (command.keylog_descriptor) live_keys = base::FileDescriptor(*command.keylog_descriptor);
  clients::QueryRunner runner(
      clock, command.keylog_inline ? clients::KeepKeys::kYes : clients::KeepKeys::kNo,
      std::move(live_keys));
  clients::run_batch(requests, records, runner, command.keylog_inline);
  return base::kExitSuccess;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto command = clients::parse_command_line(argc, argv, std::cout, std::cerr);
    if (!command) return command.error();
    if (command->batch) return serve_batch(*command);
    return clients::ask(*command, std::cout);
  } catch (const std::exception& error) {
    std::cerr << "labquery: " << base::describe_nested(error) << '\n';
    return base::kExitLabFailure;
  }
}
