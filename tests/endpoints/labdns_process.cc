#include "tests/endpoints/labdns_process.hh"

#include "base/errors.hh"
#include "tests/paths.hh"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace endpoints {
namespace {

constexpr int kPatienceMs = 10'000;
constexpr int kAttempts = 5;
constexpr int kSpread = 20'000;

std::vector<std::string> environment() {
  return {"PATH=/usr/bin:/bin", "HOME=/nonexistent"};
}

}  // namespace

std::string read_to_end(const base::FileDescriptor& from) {
  std::string text;
  pollfd readable{.fd = from.number(), .events = POLLIN, .revents = 0};
  while (::poll(&readable, 1, kPatienceMs) == 1) {
    const std::optional<std::string> piece = base::read_some(from, 65536);
    if (!piece || piece->empty()) break;
    text += *piece;
  }
  return text;
}

ToolResult run_tool(const std::vector<std::string>& argv) {
  base::Pipe output = base::make_pipe();
  base::ChildProcess tool({.argv = argv,
                           .environment = environment(),
                           .descriptors = {{output.write_end.number(), STDOUT_FILENO},
                                           {output.write_end.number(), STDERR_FILENO}}});
  output.write_end.close();
  const std::string text = read_to_end(output.read_end);
  return {.status = tool.wait(), .output = text};
}

// Tests run side by side, so each process starts looking at a place of its own.
LabdnsProcess::LabdnsProcess(std::vector<std::string> options)
    : offset_(10'000 + ::getpid() * 7 % kSpread) {
  ca_file_ =
      std::filesystem::temp_directory_path() / ("labdns-" + std::to_string(::getpid()) + ".pem");
  for (int attempt = 0; attempt < kAttempts; ++attempt, offset_ += 1000)
    if (start(options)) return;
  throw base::LabError("labdns did not become ready");
}

bool LabdnsProcess::start(std::vector<std::string> options) {
  base::Pipe ready = base::make_pipe();
  base::Pipe keylog = base::make_pipe();
  std::vector<std::string> argv{tests::checked_programs_folder() / "labdns",
                                "--quiet",
                                "--ready-fd",
                                "3",
                                "--keylog-fd",
                                "4",
                                "--port-offset",
                                std::to_string(offset_)};
  argv.insert(argv.end(), options.begin(), options.end());
  if (!std::ranges::contains(options, "--certificate"))
    argv.insert(argv.end(), {"--ca-file", ca_file_});
  process_ = std::make_unique<base::ChildProcess>(base::ChildSpec{
      .argv = argv,
      .environment = environment(),
      .descriptors = {{ready.write_end.number(), 3}, {keylog.write_end.number(), 4}}});
  ready.write_end.close();
  keylog.write_end.close();
  keylog_ = std::move(keylog.read_end);
  // The line, then the end: labdns closes the descriptor behind it.
  ready_line_ = read_to_end(ready.read_end);
  return !ready_line_.empty();
}

LabdnsProcess::~LabdnsProcess() {
  std::filesystem::remove(ca_file_);
}

base::ExitStatus LabdnsProcess::end(int signal) {
  process_->send_signal(signal);
  return process_->wait();
}

}  // namespace endpoints
