#pragma once

// Writes pcapng (draft-ietf-opsawg-pcapng) into memory: one section, little-endian on every
// machine, so that equal contents are equal bytes.

#include "captures/captured_packet.hh"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace captures {

// Largest file that is composed; beyond it the writer throws LabError rather than leave packets
// out.
inline constexpr std::size_t kMaxCaptureFileBytes = std::size_t{512} << 20U;

struct SectionFacts {
  std::string application;  // "labrun 0.1.0"
  std::string comment;      // empty: none
};

struct InterfaceFacts {
  std::string name;         // as viewers show it: "client"
  std::string description;  // empty: none
  std::uint32_t snap_length = 0;
};

using InterfaceId = std::uint32_t;

class PcapngWriter {
 public:
  explicit PcapngWriter(const SectionFacts& facts);

  // An Ethernet interface with timestamps in nanoseconds and no filter.
  InterfaceId add_interface(const InterfaceFacts& facts);
  // NSS key log lines. Readers decrypt only what follows the block: write it before the packets
  // that need it.
  void add_secrets(std::string_view keylog);
  // `comment` may be empty.
  void add_packet(InterfaceId interface, const CapturedPacket& packet, std::string_view comment);
  void add_statistics(InterfaceId interface, const CaptureCounters& counters,
                      std::int64_t timestamp_ns);

  const std::string& bytes() const { return bytes_; }

 private:
  void append_block(std::uint32_t type, std::string_view body);

  std::string bytes_;
  InterfaceId interfaces_ = 0;
};

}  // namespace captures
