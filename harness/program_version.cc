#include "harness/program_version.hh"

#include "base/child_process.hh"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <poll.h>
#include <regex>

namespace harness {
namespace {

constexpr std::chrono::seconds kVersionWithin{10};
constexpr std::size_t kMostBytes = std::size_t{64} << 10U;
// It is among the first things that any of them says; and matching costs stack by the byte.
constexpr std::size_t kNumberWithin = 4096;

bool has_more(const base::FileDescriptor& output, base::Nanoseconds patience) {
  pollfd watched{.fd = output.number(), .events = POLLIN, .revents = 0};
  // A negative time would be no limit.
  const auto milliseconds =
      std::max(std::chrono::ceil<std::chrono::milliseconds>(patience).count(), std::int64_t{0});
  return ::poll(&watched, 1, static_cast<int>(milliseconds)) > 0;
}

}  // namespace

std::string version_text(const VersionCommand& command, const base::Clock& clock) {
  base::Pipe output = base::make_pipe();
  base::ChildProcess process(
      {.argv = command.argv,
       .environment = {"LC_ALL=C.UTF-8"},
       .descriptors = {{output.write_end.number(), 1}, {output.write_end.number(), 2}},
       .root = command.root,
       .user = command.user});
  output.write_end.close();
  const base::Instant deadline = clock.now() + kVersionWithin;
  std::string text;
  bool whole = false;
  while (!whole && text.size() < kMostBytes && has_more(output.read_end, deadline - clock.now())) {
    const auto more = base::read_some(output.read_end, 4096);
    whole = !more || more->empty();
    if (!whole) text += *more;
  }
  process.send_signal(SIGKILL);
  process.wait();
  if (!whole) text += "\n[labrun: it did not end, and was ended]\n";
  return text;
}

std::string version_number(const std::string& text) {
  std::smatch found;
  const std::string beginning = text.substr(0, kNumberWithin);
  // Not a time stamp of a log line before it.
  const std::regex number(R"(\b[0-9]{1,3}\.[0-9]+(\.[0-9]+)?)");
  return std::regex_search(beginning, found, number) ? found.str() : "unknown";
}

}  // namespace harness
