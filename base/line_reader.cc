#include "base/line_reader.hh"

#include "base/errors.hh"

#include <algorithm>
#include <format>
#include <poll.h>
#include <utility>

namespace base {
namespace {

constexpr std::size_t kReadBytes = 1U << 16U;

// True when the descriptor is readable or at its end before `left` is over.
bool wait_readable(const FileDescriptor& from, Nanoseconds left) {
  pollfd wait_for{.fd = from.number(), .events = POLLIN, .revents = 0};
  const Nanoseconds bounded = std::max(left, Nanoseconds(0));
  const timespec timeout{.tv_sec = bounded.count() / 1'000'000'000,
                         .tv_nsec = bounded.count() % 1'000'000'000};
  const int ready = ::ppoll(&wait_for, 1, &timeout, nullptr);
  if (ready < 0 && errno != EINTR) check_syscall(ready, "wait for descriptor {}", from.number());
  return ready > 0;
}

}  // namespace

std::optional<std::string> LineReader::buffered() {
  const std::size_t end = buffer_.find('\n');
  if (end == std::string::npos) {
    if (buffer_.size() > limit_)
      throw LabError(std::format("read lines from descriptor {}: one is longer than {} bytes",
                                 from_.number(), limit_));
    return std::nullopt;
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

bool LineReader::fill() {
  const auto bytes = read_some(from_, kReadBytes);
  if (!bytes) return true;
  buffer_ += *bytes;
  return !bytes->empty();
}

std::string LineReader::available() {
  while (wait_readable(from_, Nanoseconds(0)) && fill()) {
  }
  return std::exchange(buffer_, {});
}

std::optional<std::string> LineReader::next(const Clock& clock, Instant deadline,
                                            std::string_view what) {
  for (;;) {
    if (auto line = buffered()) return line;
    if (!wait_readable(from_, deadline - clock.now())) {
      if (clock.now() >= deadline) return std::nullopt;
      continue;
    }
    if (!fill()) throw LabError(std::format("read {}: the stream ended", what));
  }
}

}  // namespace base
