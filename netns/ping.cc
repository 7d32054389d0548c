#include "netns/ping.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"

#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <format>
#include <poll.h>

namespace netns {
namespace {

using base::check_syscall;

// Both families' echo header, and what fills a request up to the 64 bytes that ping(8) sends.
struct EchoMessage {
  std::uint8_t type = 0;
  std::uint8_t code = 0;
  std::uint16_t checksum = 0;    // the kernel's
  std::uint16_t identifier = 0;  // the kernel's: it tells sockets apart by it
  std::uint16_t sequence = 0;
  std::array<std::uint8_t, 56> filling{};
};
static_assert(sizeof(EchoMessage) == 64);

// A "ping socket": needs no privilege where net.ipv4.ping_group_range allows it, and gets only the
// answers to its own requests.
base::FileDescriptor open_connected(const PingSpec& spec) {
  const bool v6 = spec.target.is_v6();
  base::FileDescriptor socket(check_syscall(
      ::socket(spec.target.family(), SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
               v6 ? static_cast<int>(IPPROTO_ICMPV6) : static_cast<int>(IPPROTO_ICMP)),
      "open a ping socket"));
  socklen_t length = 0;
  const sockaddr_storage target = spec.target.socket_address(0, length);
  check_syscall(::connect(socket.number(), reinterpret_cast<const sockaddr*>(&target), length),
                "connect a ping socket to {}", spec.target.to_string());
  return socket;
}

bool wait_readable(const base::FileDescriptor& socket, base::Nanoseconds how_long) {
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  const auto whole = duration_cast<seconds>(how_long);
  const timespec limit{.tv_sec = whole.count(), .tv_nsec = (how_long - whole).count()};
  pollfd wait_for{.fd = socket.number(), .events = POLLIN, .revents = 0};
  const int ready = ::ppoll(&wait_for, 1, &limit, nullptr);
  if (ready < 0 && errno == EINTR) return true;
  return check_syscall(ready, "wait for an echo reply") > 0;
}

std::optional<base::Nanoseconds> ping_once(const base::FileDescriptor& socket, const PingSpec& spec,
                                           std::uint16_t sequence, const base::Clock& clock) {
  EchoMessage message;
  message.type = spec.target.is_v6() ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
  message.sequence = htons(sequence);
  const base::Instant start = clock.now();
  check_syscall(::send(socket.number(), &message, sizeof message, 0), "send an echo request to {}",
                spec.target.to_string());
  for (base::Instant now = start; now < start + spec.timeout; now = clock.now()) {
    if (!wait_readable(socket, start + spec.timeout - now)) return std::nullopt;
    EchoMessage answer;
    const ssize_t received = ::recv(socket.number(), &answer, sizeof answer, 0);
    const base::Instant arrived = clock.now();
    // An error here is the network's (unreachable): the request counts as lost. Late answers and
    // copies have another sequence.
    if (received == sizeof answer && answer.sequence == message.sequence) return arrived - start;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::optional<base::Nanoseconds>> ping(const NetworkNamespace& from,
                                                   const PingSpec& spec, const base::Clock& clock) {
  LABRUN_ASSERT(spec.count >= 0 && spec.count <= 65'535);
  const Entered inside(from);
  const base::FileDescriptor socket = open_connected(spec);
  std::vector<std::optional<base::Nanoseconds>> round_trips;
  round_trips.reserve(static_cast<std::size_t>(spec.count));
  for (int i = 0; i < spec.count; ++i)
    round_trips.push_back(ping_once(socket, spec, static_cast<std::uint16_t>(i + 1), clock));
  return round_trips;
}

}  // namespace netns
