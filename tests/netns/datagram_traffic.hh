#pragma once

// Numbered UDP datagrams from one end of a lab network to the other, and what became of each.

#include "base/clock.hh"
#include "base/file_descriptor.hh"
#include "netns/ip_address.hh"
#include "netns/lab_network.hh"

#include <cstdint>
#include <map>
#include <vector>

namespace netns {

class DatagramTraffic {
 public:
  // IPv4, from a port of the kernel's choice to `kPort`.
  DatagramTraffic(LabNetwork& network, bool to_server);

  // Sends `count` datagrams of `payload` bytes back to back, numbered from 0.
  void send(std::uint32_t count, std::size_t payload = 100);
  struct Arrival {
    std::uint32_t number = 0;
    base::Nanoseconds after_send{0};
    bool intact = false;
  };
  // In the order of arrival. Returns when nothing has come for `quiet`.
  std::vector<Arrival> receive(base::Nanoseconds quiet = std::chrono::milliseconds(500));

 private:
  static constexpr std::uint16_t kPort = 5'300;
  base::SystemClock clock_;
  base::FileDescriptor sender_;
  base::FileDescriptor receiver_;
  std::map<std::uint32_t, base::Instant> sent_;
};

// The numbers below `count` that did not arrive.
std::vector<std::uint32_t> missing_from(const std::vector<DatagramTraffic::Arrival>& arrivals,
                                        std::uint32_t count);

}  // namespace netns
