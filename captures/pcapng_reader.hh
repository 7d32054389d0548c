#pragma once

// Reads pcapng (draft-ietf-opsawg-pcapng) block by block, of either byte order and from any writer,
// in bounded memory.

#include "captures/byte_order.hh"
#include "captures/capture_input.hh"
#include "captures/seen_block.hh"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace captures {

class PcapngReader {
 public:
  // Limits against hostile files; a file beyond them is malformed.
  static constexpr std::size_t kMaxBlockBytes = std::size_t{16} << 20U;
  static constexpr std::size_t kMaxInterfaces = 4096;

  // Reads from `input`, which must outlive the reader.
  explicit PcapngReader(std::istream& input) : input_(input) {}
  explicit PcapngReader(const CaptureInput& input) : input_(input) {}

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
  std::uint64_t integer(std::span<const std::uint8_t> bytes) const {
    return read_integer(bytes, byte_order_);
  }
  std::uint32_t word(std::size_t at) const;

  CaptureInput input_;
  std::endian byte_order_ = std::endian::little;  // of this section
  bool in_section_ = false;
  std::size_t block_number_ = 0;
  std::uint32_t type_ = 0;
  std::vector<std::uint8_t> body_;
  std::vector<Interface> interfaces_;  // of this section
  std::size_t interfaces_seen_ = 0;    // in the file
};

}  // namespace captures
