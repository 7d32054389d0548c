#include "tests/e2e/program_run.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "tests/paths.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <poll.h>
#include <unistd.h>

namespace e2e {
namespace {

namespace fs = std::filesystem;

base::ChildProcess start(std::vector<std::string> argv, const std::vector<std::string>& environment,
                         const base::Pipe& output) {
  if (!argv.at(0).contains('/')) argv[0] = program(argv[0]);
  std::vector<std::string> all{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"};
  all.insert(all.end(), environment.begin(), environment.end());
  return base::ChildProcess(
      {.argv = std::move(argv),
       .environment = std::move(all),
       .descriptors = {{output.write_end.number(), 1}, {output.write_end.number(), 2}}});
}

}  // namespace

RunningProgram::RunningProgram(std::vector<std::string> argv,
                               const std::vector<std::string>& environment)
    : output_(base::make_pipe()), process_(start(std::move(argv), environment, output_)) {
  output_.write_end.close();
}

// False at the end of the output and when the deadline passed.
bool RunningProgram::read_more(base::Instant deadline) {
  pollfd wait_for{.fd = output_.read_end.number(), .events = POLLIN, .revents = 0};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock_.now());
  if (left.count() <= 0 || ::poll(&wait_for, 1, static_cast<int>(left.count())) <= 0) return false;
  const auto bytes = base::read_some(output_.read_end, 1U << 16U);
  if (!bytes || bytes->empty()) return false;
  collected_ += *bytes;
  return true;
}

bool RunningProgram::wait_for_output(const std::string& text) {
  const base::Instant deadline = clock_.now() + std::chrono::minutes(1);
  while (!collected_.contains(text)) {
    if (read_more(deadline)) continue;
    ADD_FAILURE() << "the program never printed \"" << text << "\" but:\n" << collected_;
    return false;
  }
  return true;
}

Outcome RunningProgram::finish(std::chrono::seconds limit) {
  const base::Instant deadline = clock_.now() + limit;
  while (read_more(deadline)) {
  }
  if (clock_.now() >= deadline) {
    ADD_FAILURE() << "the program did not end within " << limit;
    process_.send_signal(SIGKILL);
  }
  return {.status = process_.wait(), .output = std::move(collected_)};
}

Outcome run_program(std::vector<std::string> argv, const std::vector<std::string>& environment) {
  return RunningProgram(std::move(argv), environment).finish();
}

fs::path scenario(const std::string& name) {
  return tests::source_folder() / "scenarios" / (name + ".yaml");
}

fs::path program(const std::string& name) {
  return tests::programs_folder() / name;
}

namespace {

// Calls `look` with the folder of every other process.
void for_each_process(const std::function<void(const fs::path&)>& look) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (!std::ranges::all_of(name, [](char digit) { return digit >= '0' && digit <= '9'; }) ||
        name == std::to_string(::getpid()))
      continue;
    try {
      look(entry.path());
    } catch (const base::LabError&) {
      // It ended while we were looking.
    }
  }
}

}  // namespace

std::vector<std::string> processes_naming(const std::string& text) {
  std::vector<std::string> found;
  for_each_process([&](const fs::path& process) {
    std::string command = base::read_file(process / "cmdline");
    std::ranges::replace(command, '\0', ' ');
    if (command.contains(text)) found.push_back(process.string() + ": " + command);
  });
  return found;
}

std::vector<std::string> guest_processes() {
  std::vector<std::string> found;
  for_each_process([&](const fs::path& process) {
    // "1234 (uml-userspace) S 1 ..."
    const std::string status = base::read_file(process / "stat");
    if (status.contains("(uml-userspace)") && !status.contains(") Z ")) found.push_back(status);
  });
  return found;
}

}  // namespace e2e
