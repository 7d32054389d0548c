#pragma once

// What a capture file holds, whatever its format.

#include "captures/captured_packet.hh"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace captures {

// What the readers hand out. Interfaces are counted over the whole file, not per section.
struct InterfaceSeen {
  std::uint16_t link_type = 0;  // as captures/link_frame.hh knows them; 1 is Ethernet
  std::uint32_t snap_length = 0;
  std::string name;  // empty where the file gives none
};

struct PacketSeen {
  std::size_t interface = 0;
  CapturedPacket packet;  // a simple packet block has no timestamp: 0
  std::string comment;    // all of the packet's comments, one a line
};

struct SecretsSeen {
  std::uint32_t type = 0;
  std::string text;
};

struct StatisticsSeen {
  std::size_t interface = 0;
  std::optional<std::uint64_t> received;
  std::uint64_t dropped = 0;  // by the interface and by the system
};

using SeenBlock = std::variant<InterfaceSeen, PacketSeen, SecretsSeen, StatisticsSeen>;

}  // namespace captures
