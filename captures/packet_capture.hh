#pragma once

// A live capture of one interface: libpcap's memory-mapped ring in immediate mode, read when the
// owner likes. Nobody is woken by a packet, and reading costs no system call while the ring holds
// something: labs pay dearly for both.

#include "captures/captured_packet.hh"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct pcap;

namespace captures {

// Owns the capture of one interface. It stays with the network namespace in which it was opened,
// whichever namespace the caller enters later. Not promiscuous; both directions; timestamps in
// nanoseconds.
class PacketCapture {
 public:
  // Captures from the moment it returns. Throws LabError, with libpcap's reason, where `interface`
  // cannot be captured. The snap length is what the interface can carry (its MTU with an Ethernet
  // header): with segmentation offloads off nothing is longer.
  explicit PacketCapture(const std::string& interface);
  PacketCapture(PacketCapture&&) noexcept;
  PacketCapture& operator=(PacketCapture&&) noexcept;
  ~PacketCapture();

  // Appends all frames the ring holds, oldest first, and returns without waiting. Throws LabError
  // where the capture broke, which an interface that went away does.
  void drain(std::vector<CapturedPacket>& into);
  CaptureCounters counters();

  const std::string& interface() const { return interface_; }
  std::uint32_t snap_length() const { return snap_length_; }

 private:
  struct Closer {
    void operator()(pcap* handle) const noexcept;
  };

  std::string interface_;
  std::unique_ptr<pcap, Closer> handle_;
  std::vector<std::uint8_t> hardware_address_;  // tells outbound frames from inbound ones
  std::uint32_t snap_length_ = 0;
  CaptureCounters counters_;
};

}  // namespace captures
