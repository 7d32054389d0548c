#pragma once

// Runs a program as a user would and keeps what it said.

#include "base/child_process.hh"
#include "base/clock.hh"
#include "base/temporary_folder.hh"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace e2e {

struct Outcome {
  base::ExitStatus status;
  std::string output;  // standard output and error, together
};

// A program that runs; its output is collected until it ends.
class RunningProgram {
 public:
  // argv[0] "labrun", "labquery" and "labdns" are those that were built; anything else is a path.
  explicit RunningProgram(std::vector<std::string> argv,
                          const std::vector<std::string>& environment = {});

  // Waits until `text` was printed; fails the test, and returns false, where the program ends first
  // or a minute passes.
  bool wait_for_output(const std::string& text);
  void send_signal(int number) { process_.send_signal(number); }
  pid_t pid() const { return process_.pid(); }
  // Waits for the end. A program that takes longer than `limit` is killed and fails the test.
  Outcome finish(std::chrono::seconds limit = std::chrono::minutes(5));

 private:
  bool read_more(base::Instant deadline);

  base::SystemClock clock_;
  base::Pipe output_;
  base::ChildProcess process_;
  std::string collected_;
};

Outcome run_program(std::vector<std::string> argv,
                    const std::vector<std::string>& environment = {});

using base::TemporaryFolder;

std::filesystem::path scenario(const std::string& name);  // "smoke" -> .../scenarios/smoke.yaml
std::filesystem::path program(const std::string& name);   // "labrun" -> the one that was built

// Command lines of processes that have `text` in theirs, this one left out.
std::vector<std::string> processes_naming(const std::string& text);
// Programs that run inside lab kernels, of whatever run. Those that have ended and only wait to be
// reaped do not count.
std::vector<std::string> guest_processes();

}  // namespace e2e
