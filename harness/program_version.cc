#include "harness/program_version.hh"

#include "base/child_process.hh"
#include "base/file_descriptor.hh"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <poll.h>
#include <regex>

namespace harness {
namespace {

constexpr std::chrono::milliseconds kVersionWithin{10'000};
constexpr uid_t kNobody = 65534;

bool has_something(const base::FileDescriptor& descriptor) {
  pollfd watched{descriptor.number(), POLLIN, 0};
  return ::poll(&watched, 1, static_cast<int>(kVersionWithin.count())) > 0;
}

}  // namespace

std::string version_of(const std::vector<std::string>& command) {
  base::Pipe output = base::make_pipe();
  base::ChildProcess process(
      {.argv = command,
       .environment = {"LC_ALL=C.UTF-8"},
       .descriptors = {{output.write_end.number(), 1}, {output.write_end.number(), 2}},
       .user = kNobody});
  output.write_end.close();
  std::string text;
  while (has_something(output.read_end)) {
    const auto more = base::read_some(output.read_end, 4096);
    if (!more || more->empty()) break;
    text += *more;
  }
  process.send_signal(SIGKILL);
  process.wait();
  std::smatch found;
  const std::regex number(R"([0-9]+\.[0-9]+(\.[0-9]+)?)");
  return std::regex_search(text, found, number) ? found.str() : "unknown";
}

}  // namespace harness
