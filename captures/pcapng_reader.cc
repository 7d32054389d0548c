#include "captures/pcapng_reader.hh"

#include "base/file_descriptor.hh"
#include "captures/pcapng_format.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <format>
#include <functional>
#include <limits>
#include <stdexcept>

namespace captures {
namespace {

using Bytes = std::span<const std::uint8_t>;

// Leaves the reader's depth; next() turns it into a value.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

// if_tsresol: a negative power of ten or, with the highest bit set, of two.
std::uint64_t ticks_per_second(std::uint8_t resolution) {
  const unsigned exponent = resolution & 0x7fU;
  if ((resolution & 0x80U) != 0) {
    if (exponent > 62) throw Malformed("timestamp resolution out of range");
    return std::uint64_t{1} << exponent;
  }
  if (exponent > 18) throw Malformed("timestamp resolution out of range");
  std::uint64_t ticks = 1;
  for (unsigned power = 0; power < exponent; ++power) ticks *= 10;
  return ticks;
}

std::int64_t to_nanoseconds(std::uint64_t ticks, std::uint64_t per_second, std::int64_t offset) {
  const std::uint64_t seconds = ticks / per_second;
  // Exact for the decimal resolutions up to nanoseconds; finer ones lose what nanoseconds cannot
  // hold.
  const auto fraction = static_cast<std::int64_t>(static_cast<long double>(ticks % per_second) *
                                                  kNanosecondsPerSecond / per_second);
  constexpr std::int64_t kMaxSeconds =
      std::numeric_limits<std::int64_t>::max() / kNanosecondsPerSecond - 1;
  if (seconds > static_cast<std::uint64_t>(kMaxSeconds) || offset > kMaxSeconds ||
      offset < -kMaxSeconds)
    throw Malformed("timestamp out of range");
  const std::int64_t sum = static_cast<std::int64_t>(seconds) + offset;
  if (sum > kMaxSeconds || sum < 0) throw Malformed("timestamp out of range");
  return sum * kNanosecondsPerSecond + fraction;
}

// Calls `take(code, value)` for each option. Code and length are in the section's byte order, which
// `integer` knows.
void for_each_option(Bytes bytes, const std::function<std::uint64_t(Bytes)>& integer,
                     const std::function<void(std::uint16_t, Bytes)>& take) {
  while (!bytes.empty()) {
    if (bytes.size() < 4) throw Malformed("option cut short");
    const auto code = static_cast<std::uint16_t>(integer(bytes.first(2)));
    const std::size_t length = integer(bytes.subspan(2, 2));
    if (code == pcapng::kEndOfOptions) return;
    if (pcapng::padded(length) > bytes.size() - 4) throw Malformed("option cut short");
    take(code, bytes.subspan(4, length));
    bytes = bytes.subspan(4 + pcapng::padded(length));
  }
}

Bytes tail(Bytes bytes, std::size_t from) {
  if (from > bytes.size()) throw Malformed("cut short");
  return bytes.subspan(from);
}

}  // namespace

std::expected<std::optional<SeenBlock>, std::string> PcapngReader::next() {
  try {
    while (read_block())
      if (auto block = read_known_block()) return block;
    return std::optional<SeenBlock>();
  } catch (const Malformed& error) {
    return std::unexpected(std::format("block {}: {}", block_number_, error.what()));
  }
}

bool PcapngReader::read_block() {
  std::array<std::uint8_t, 8> header{};
  const std::size_t got = input_.read(header);
  if (got == 0) return false;
  ++block_number_;
  if (got < header.size()) throw Malformed("file ends within a block header");

  // The section header's type reads the same in either byte order; its magic, behind the length,
  // tells which one it is.
  const bool section = std::ranges::equal(std::span(header).first(4),
                                          std::array<std::uint8_t, 4>{0x0a, 0x0d, 0x0d, 0x0a});
  std::array<std::uint8_t, 4> magic{};
  if (section) {
    if (input_.read(magic) < magic.size()) throw Malformed("file ends within a section header");
    byte_order_ = magic[0] == 0x1a ? std::endian::big : std::endian::little;
    if (integer(magic) != pcapng::kByteOrderMagic) throw Malformed("not a pcapng section header");
    in_section_ = true;
  }
  if (!in_section_) throw Malformed("not a pcapng file");
  type_ = static_cast<std::uint32_t>(integer(std::span(header).first(4)));
  const std::size_t length = integer(std::span(header).subspan(4));
  const std::size_t taken = section ? magic.size() : 0;
  if (length % 4 != 0 || length < pcapng::kBlockOverhead + taken || length > kMaxBlockBytes)
    throw Malformed(std::format("impossible block length {}", length));

  body_.resize(length - header.size());
  std::ranges::copy(std::span(magic).first(taken), body_.begin());
  if (input_.read(std::span(body_).subspan(taken)) < body_.size() - taken)
    throw Malformed("file ends within a block");
  if (integer(std::span(body_).last(4)) != length) throw Malformed("its two lengths differ");
  body_.resize(body_.size() - 4);
  return true;
}

std::optional<SeenBlock> PcapngReader::read_known_block() {
  switch (type_) {
    case pcapng::kSectionHeaderBlock:
      read_section_header();
      return std::nullopt;
    case pcapng::kInterfaceBlock:
      return read_interface();
    case pcapng::kEnhancedPacketBlock:
      return read_enhanced_packet();
    case pcapng::kSimplePacketBlock:
      return read_simple_packet();
    case pcapng::kSecretsBlock:
      return read_secrets();
    case pcapng::kStatisticsBlock:
      return read_statistics();
    default:
      return std::nullopt;
  }
}

void PcapngReader::read_section_header() {
  tail(body_, 16);
  if (integer(Bytes(body_).subspan(4, 2)) != 1) throw Malformed("unknown pcapng version");
  interfaces_.clear();
}

InterfaceSeen PcapngReader::read_interface() {
  const Bytes options = tail(body_, 8);
  if (interfaces_seen_ == kMaxInterfaces) throw Malformed("too many interfaces");
  InterfaceSeen seen{.link_type = static_cast<std::uint16_t>(integer(Bytes(body_).first(2))),
                     .snap_length = word(4),
                     .name = {}};
  Interface interface{.number = interfaces_seen_++, .snap_length = seen.snap_length};
  const auto decode = [this](Bytes bytes) { return integer(bytes); };
  for_each_option(options, decode, [&](std::uint16_t code, Bytes value) {
    if (code == pcapng::kInterfaceName) seen.name = base::as_text(value);
    if (code == pcapng::kInterfaceTimestampResolution && value.size() == 1)
      interface.ticks_per_second = ticks_per_second(value[0]);
    if (code == pcapng::kInterfaceTimestampOffset && value.size() == 8)
      interface.offset_seconds = std::bit_cast<std::int64_t>(integer(value));
  });
  interfaces_.push_back(interface);
  return seen;
}

PacketSeen PcapngReader::read_enhanced_packet() {
  const Bytes data = tail(body_, 20);
  const Interface& from = interface(word(0));
  const std::size_t captured = word(12);
  if (pcapng::padded(captured) > data.size()) throw Malformed("packet longer than its block");
  const std::uint64_t ticks = std::uint64_t{word(4)} << 32U | word(8);
  PacketSeen seen;
  seen.interface = from.number;
  seen.packet.timestamp_ns = to_nanoseconds(ticks, from.ticks_per_second, from.offset_seconds);
  seen.packet.original_length = word(16);
  seen.packet.bytes.assign(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(captured));
  const auto decode = [this](Bytes bytes) { return integer(bytes); };
  for_each_option(data.subspan(pcapng::padded(captured)), decode,
                  [&](std::uint16_t code, Bytes value) {
                    if (code == pcapng::kComment) {
                      if (!seen.comment.empty()) seen.comment += '\n';
                      seen.comment += base::as_text(value);
                    } else if (code == pcapng::kPacketFlags && value.size() == 4) {
                      const auto direction = integer(value) & 3U;
                      if (direction < 3)
                        seen.packet.direction = Direction{static_cast<std::uint8_t>(direction)};
                    }
                  });
  return seen;
}

PacketSeen PcapngReader::read_simple_packet() {
  const Bytes data = tail(body_, 4);
  const Interface& from = interface(0);
  PacketSeen seen;
  seen.interface = from.number;
  seen.packet.original_length = word(0);
  std::size_t captured = seen.packet.original_length;
  if (from.snap_length != 0) captured = std::min<std::size_t>(captured, from.snap_length);
  if (pcapng::padded(captured) > data.size()) throw Malformed("packet longer than its block");
  seen.packet.bytes.assign(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(captured));
  return seen;
}

SecretsSeen PcapngReader::read_secrets() {
  const Bytes data = tail(body_, 8);
  const std::size_t length = word(4);
  if (length > data.size()) throw Malformed("secrets longer than their block");
  return {.type = word(0), .text = std::string(base::as_text(data.first(length)))};
}

StatisticsSeen PcapngReader::read_statistics() {
  const Bytes options = tail(body_, 12);
  StatisticsSeen seen;
  seen.interface = interface(word(0)).number;
  const auto decode = [this](Bytes bytes) { return integer(bytes); };
  for_each_option(options, decode, [&](std::uint16_t code, Bytes value) {
    if (value.size() != 8) return;
    if (code == pcapng::kStatisticsReceived) seen.received = integer(value);
    if (code == pcapng::kStatisticsDroppedByInterface || code == pcapng::kStatisticsDroppedBySystem)
      seen.dropped += integer(value);
  });
  return seen;
}

const PcapngReader::Interface& PcapngReader::interface(std::uint32_t id) const {
  if (id >= interfaces_.size()) throw Malformed(std::format("unknown interface {}", id));
  return interfaces_[id];
}

std::uint32_t PcapngReader::word(std::size_t at) const {
  return static_cast<std::uint32_t>(integer(Bytes(body_).subspan(at, 4)));
}

}  // namespace captures
