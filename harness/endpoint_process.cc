#include "harness/endpoint_process.hh"

#include "base/errors.hh"
#include "harness/process_log.hh"

#include <fcntl.h>
#include <format>
#include <signal.h>
#include <utility>

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kReadyWithin{30};
constexpr std::chrono::seconds kEndWithin{10};
constexpr int kReadyDescriptor = 3;
constexpr int kKeylogDescriptor = 4;

base::ChildProcess start(const PlannedArm& arm, const fs::path& program, int network_namespace,
                         const fs::path& ca_file, const fs::path& log, const base::Pipe& ready,
                         const base::Pipe& keylog, EndpointProcess::Keys keys) {
  std::vector<std::string> argv{program.string()};
  argv.insert(argv.end(), arm.server_arguments.begin(), arm.server_arguments.end());
  // A query that is asked again must meet a server that does the same again.
  argv.insert(argv.end(), {"--quic-seed", "1"});
  if (keys == EndpointProcess::Keys::kLive) argv.emplace_back("--keylog-at-once");
  for (const std::string& argument :
       {std::string("--ca-file"), ca_file.string(), std::string("--ready-fd"),
        std::to_string(kReadyDescriptor), std::string("--keylog-fd"),
        std::to_string(kKeylogDescriptor)})
    argv.push_back(argument);
  const base::FileDescriptor log_file(
      base::check_syscall(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644),
                          "create {}", log.string()));
  return base::ChildProcess({.argv = std::move(argv),
                             .environment = {"LC_ALL=C.UTF-8"},
                             .descriptors = {{log_file.number(), 2},
                                             {ready.write_end.number(), kReadyDescriptor},
                                             {keylog.write_end.number(), kKeylogDescriptor}},
                             .network_namespace = network_namespace});
}

}  // namespace

EndpointProcess::EndpointProcess(const PlannedArm& arm, const fs::path& program,
                                 int network_namespace, const fs::path& ca_file,
                                 const fs::path& log, Keys keys)
    : arm_(arm.name.empty() ? "labdns" : "labdns of " + arm.name),
      ca_file_(ca_file),
      log_(log),
      ready_(base::make_pipe()),
      keylog_(base::make_pipe()),
      process_(start(arm, program, network_namespace, ca_file, log, ready_, keylog_, keys)),
      ready_lines_(ready_.read_end),
      keylog_lines_(keylog_.read_end) {
  // Only the child holds the writing ends now, so that its end is ours to see.
  ready_.write_end.close();
  keylog_.write_end.close();
}

std::string EndpointProcess::describe_end(const std::string& how) const {
  return std::format("{} {}; it said: {}", arm_, how, end_of_log(log_));
}

void EndpointProcess::wait_until_ready(const base::Clock& clock) {
  std::optional<std::string> line;
  try {
    line = ready_lines_.next(clock, clock.now() + kReadyWithin, "the readiness of " + arm_);
  } catch (const base::LabError&) {
    throw base::LabError(
        describe_end("ended before it was ready (" + process_.wait().describe() + ")"));
  }
  if (!line)
    throw base::LabError(describe_end(std::format("was not ready within {}", kReadyWithin)));
  ready_facts_ = std::move(*line);
}

Endpoint::Finish EndpointProcess::finish(const base::Clock& clock) {
  process_.send_signal(SIGTERM);
  std::string keys;
  try {
    // Line by line up to the end of the stream, which is the end of the process.
    while (const auto line =
               keylog_lines_.next(clock, clock.now() + kEndWithin, "the last keys of " + arm_))
      keys += *line + "\n";
  } catch (const base::LabError&) {
    const base::ExitStatus status = process_.wait();
    if (status.succeeded()) return {.keylog = std::move(keys)};
    throw base::LabError(describe_end("ended badly (" + status.describe() + ")"));
  }
  throw base::LabError(describe_end(std::format("did not end within {} of SIGTERM", kEndWithin)));
}

std::optional<ServerEnd> EndpointProcess::poll_end() {
  if (const auto status = process_.poll())
    throw base::LabError(describe_end("ended during the run (" + status->describe() + ")"));
  return std::nullopt;
}

void EndpointProcess::restart(const base::Clock&) {
  throw base::LabError(describe_end("cannot be started again"));
}

}  // namespace harness
