#pragma once

// Reads classic pcap (draft-ietf-opsawg-pcap, version 2.4) packet by packet, of either byte order,
// in microseconds or nanoseconds, in bounded memory.

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
#include <string_view>

namespace captures {

class PcapReader {
 public:
  // Against hostile files, whatever snap length they claim; above all that a link carries as one IP
  // packet.
  static constexpr std::size_t kMaxPacketBytes = std::size_t{1} << 20U;

  // Whether a file that starts with these bytes is one of ours.
  static bool is_magic(std::span<const std::uint8_t> magic);

  // Reads from `input`, which must outlive the reader.
  explicit PcapReader(std::istream& input) : input_(input) {}
  explicit PcapReader(const CaptureInput& input) : input_(input) {}

  // The file's only interface first, without a name, then its packets, without directions; nullopt
  // at the end of the file. An error names the place, "packet 17: longer than the snap length
  // allows" or "file header: ...", and ends the reading: no call may follow it.
  std::expected<std::optional<SeenBlock>, std::string> next();

 private:
  std::expected<std::optional<SeenBlock>, std::string> read_file_header();
  std::expected<std::optional<SeenBlock>, std::string> read_packet();
  std::unexpected<std::string> malformed_packet(std::string_view complaint) const;
  std::uint32_t word(std::span<const std::uint8_t> bytes, std::size_t at) const {
    return static_cast<std::uint32_t>(read_integer(bytes.subspan(at, 4), byte_order_));
  }

  CaptureInput input_;
  bool header_read_ = false;
  std::endian byte_order_ = std::endian::little;
  std::uint32_t fractions_per_second_ = 0;
  std::size_t max_packet_bytes_ = 0;
  std::size_t packet_number_ = 0;  // of the packet last read, from 1
};

}  // namespace captures
