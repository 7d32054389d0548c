#include "tests/netns/datagram_traffic.hh"

#include "base/errors.hh"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <poll.h>

namespace netns {
namespace {

using base::check_syscall;

// A burst waits in the receiver's buffer until it is read.
constexpr int kReceiveBuffer = 1 << 20;

base::FileDescriptor open_udp() {
  return base::FileDescriptor(
      check_syscall(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "open a UDP socket"));
}

}  // namespace

DatagramTraffic::DatagramTraffic(LabNetwork& network, bool to_server) {
  const auto target = IpAddress::parse(to_server ? "198.51.100.53" : "198.51.100.1").value();
  const NetworkNamespace& near =
      to_server ? network.client_namespace() : network.server_namespace();
  const NetworkNamespace& far = to_server ? network.server_namespace() : network.client_namespace();
  socklen_t length = 0;
  const sockaddr_storage storage = target.socket_address(kPort, length);
  const auto* const socket_address = reinterpret_cast<const sockaddr*>(&storage);
  {
    const Entered inside(far);
    receiver_ = open_udp();
    check_syscall(::setsockopt(receiver_.number(), SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBuffer,
                               sizeof kReceiveBuffer),
                  "enlarge the receive buffer");
    check_syscall(::bind(receiver_.number(), socket_address, length), "bind the receiver");
  }
  const Entered inside(near);
  sender_ = open_udp();
  check_syscall(::connect(sender_.number(), socket_address, length), "connect the sender");
}

void DatagramTraffic::send(std::uint32_t count, std::size_t payload) {
  sent_.clear();
  std::vector<std::uint8_t> bytes(payload);
  for (std::uint32_t number = 0; number < count; ++number) {
    std::memcpy(bytes.data(), &number, sizeof number);
    sent_[number] = clock_.now();
    check_syscall(::send(sender_.number(), bytes.data(), bytes.size(), 0), "send datagram {}",
                  number);
  }
}

std::vector<DatagramTraffic::Arrival> DatagramTraffic::receive(base::Nanoseconds quiet) {
  std::vector<Arrival> arrivals;
  pollfd wait_for{.fd = receiver_.number(), .events = POLLIN, .revents = 0};
  const int limit =
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(quiet).count());
  while (::poll(&wait_for, 1, limit) > 0) {
    std::array<std::uint8_t, 2048> bytes;
    const ssize_t length = check_syscall(::recv(receiver_.number(), bytes.data(), bytes.size(), 0),
                                         "receive a datagram");
    const base::Instant now = clock_.now();
    std::uint32_t number = 0;
    std::memcpy(&number, bytes.data(), sizeof number);
    const auto sent = sent_.find(number);
    if (sent == sent_.end()) continue;
    const bool intact = std::all_of(bytes.begin() + sizeof number, bytes.begin() + length,
                                    [](std::uint8_t byte) { return byte == 0; });
    arrivals.push_back({.number = number, .after_send = now - sent->second, .intact = intact});
  }
  return arrivals;
}

std::vector<std::uint32_t> missing_from(const std::vector<DatagramTraffic::Arrival>& arrivals,
                                        std::uint32_t count) {
  std::vector<bool> arrived(count);
  for (const auto& arrival : arrivals) arrived.at(arrival.number) = true;
  std::vector<std::uint32_t> missing;
  for (std::uint32_t number = 0; number < count; ++number)
    if (!arrived[number]) missing.push_back(number);
  return missing;
}

}  // namespace netns
