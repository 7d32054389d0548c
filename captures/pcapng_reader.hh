#pragma once

// Reads pcapng (draft-ietf-opsawg-pcapng) block by block, of either byte order and from any writer,
// in bounded memory.

#include "captures/captured_packet.hh"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace captures {

// What the reader hands out. Interfaces are counted over the whole file, not per section.
struct InterfaceSeen {
  std::uint16_t link_type = 0;  // 1 is Ethernet
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

class PcapngReader {
 public:
  // Limits against hostile files; a file beyond them is malformed.
  static constexpr std::size_t kMaxBlockBytes = std::size_t{16} << 20U;
  static constexpr std::size_t kMaxInterfaces = 4096;

  // Reads from `input`, which must outlive the reader.
  explicit PcapngReader(std::istream& input) : input_(input) {}

  // The next block of a kind we know, others skipped; nullopt at the end of the file. An error
  // names the block, "block 17: packet of an unknown interface", and ends the reading: no call may
  // follow it.
  std::expected<std::optional<SeenBlock>, std::string> next();

 private:
  struct Interface {
    std::size_t number = 0;         // in the file
    std::uint32_t snap_length = 0;  // 0: no limit
    std::uint64_t ticks_per_second = 1'000'000;
    std::int64_t offset_seconds = 0;
  };

  // The block's header; false at the end of the file.
  bool read_block();
  void read_section_header();
  InterfaceSeen read_interface();
  PacketSeen read_enhanced_packet();
  PacketSeen read_simple_packet();
  SecretsSeen read_secrets();
  StatisticsSeen read_statistics();
  std::optional<SeenBlock> read_known_block();
  const Interface& interface(std::uint32_t id) const;
  std::uint64_t integer(std::span<const std::uint8_t> bytes) const;
  std::uint32_t word(std::size_t at) const;

  std::istream& input_;
  bool big_endian_ = false;
  bool in_section_ = false;
  std::size_t block_number_ = 0;
  std::uint32_t type_ = 0;
  std::vector<std::uint8_t> body_;
  std::vector<Interface> interfaces_;  // of this section
  std::size_t interfaces_seen_ = 0;    // in the file
};

}  // namespace captures
