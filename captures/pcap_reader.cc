#include "captures/pcap_reader.hh"

#include <algorithm>
#include <array>
#include <format>
#include <string_view>
#include <utility>

namespace captures {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kFileHeaderBytes = 24;
constexpr std::size_t kPacketHeaderBytes = 16;
constexpr std::uint32_t kNanosecondsPerSecond = 1'000'000'000;

// The magic number tells byte order and how fine the timestamps are.
struct Magic {
  std::array<std::uint8_t, CaptureInput::kMagicBytes> bytes;
  std::endian byte_order;
  std::uint32_t fractions_per_second;
};
constexpr std::array<Magic, 4> kMagics{
    {{{0xa1, 0xb2, 0xc3, 0xd4}, std::endian::big, 1'000'000},
     {{0xd4, 0xc3, 0xb2, 0xa1}, std::endian::little, 1'000'000},
     {{0xa1, 0xb2, 0x3c, 0x4d}, std::endian::big, kNanosecondsPerSecond},
     {{0x4d, 0x3c, 0xb2, 0xa1}, std::endian::little, kNanosecondsPerSecond}}};

auto find_magic(Bytes bytes) {
  return std::ranges::find_if(
      kMagics, [bytes](const Magic& magic) { return std::ranges::equal(magic.bytes, bytes); });
}

std::unexpected<std::string> malformed_file(std::string_view complaint) {
  return std::unexpected(std::format("file header: {}", complaint));
}

}  // namespace

bool PcapReader::is_magic(std::span<const std::uint8_t> magic) {
  return find_magic(magic) != kMagics.end();
}

std::expected<std::optional<SeenBlock>, std::string> PcapReader::next() {
  return std::exchange(header_read_, true) ? read_packet() : read_file_header();
}

std::expected<std::optional<SeenBlock>, std::string> PcapReader::read_file_header() {
  std::array<std::uint8_t, kFileHeaderBytes> header{};
  if (input_.read(header) < header.size()) return malformed_file("file ends within it");
  const Bytes bytes(header);
  const auto* const magic = find_magic(bytes.first(CaptureInput::kMagicBytes));
  if (magic == kMagics.end()) return malformed_file("not a pcap file");
  byte_order_ = magic->byte_order;
  fractions_per_second_ = magic->fractions_per_second;
  if (read_integer(bytes.subspan(4, 2), byte_order_) != 2 ||
      read_integer(bytes.subspan(6, 2), byte_order_) != 4)
    return malformed_file("unknown pcap version");

  InterfaceSeen seen;
  seen.snap_length = word(bytes, 16);
  // What stands above the link type tells of frame check sequences, which no IP packet reaches.
  seen.link_type = static_cast<std::uint16_t>(word(bytes, 20));
  // Some writers set no limit with a zero.
  max_packet_bytes_ = seen.snap_length == 0
                          ? kMaxPacketBytes
                          : std::min<std::size_t>(seen.snap_length, kMaxPacketBytes);
  return seen;
}

std::expected<std::optional<SeenBlock>, std::string> PcapReader::read_packet() {
  std::array<std::uint8_t, kPacketHeaderBytes> header{};
  const std::size_t got = input_.read(header);
  if (got == 0) return std::nullopt;
  ++packet_number_;
  if (got < header.size()) return malformed_packet("file ends within its header");

  const std::uint32_t fraction = word(header, 4);
  const std::size_t captured = word(header, 8);
  if (fraction >= fractions_per_second_) return malformed_packet("timestamp out of range");
  if (captured > max_packet_bytes_) return malformed_packet("longer than the snap length allows");

  PacketSeen seen;
  seen.packet.timestamp_ns =
      std::int64_t{word(header, 0)} * kNanosecondsPerSecond +
      std::int64_t{fraction} * (kNanosecondsPerSecond / fractions_per_second_);
  seen.packet.original_length = word(header, 12);
  seen.packet.bytes.resize(captured);
  if (input_.read(seen.packet.bytes) < captured) return malformed_packet("file ends within it");
  return seen;
}

std::unexpected<std::string> PcapReader::malformed_packet(std::string_view complaint) const {
  return std::unexpected(std::format("packet {}: {}", packet_number_, complaint));
}

}  // namespace captures
