#include "captures/tcp_header.hh"

#include "captures/byte_order.hh"

namespace captures {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kMinHeaderBytes = 20;
constexpr std::size_t kSackBlockBytes = 8;

// Kinds of options, with the length that each must have: kind, length and value together.
constexpr std::uint8_t kEndOfOptions = 0;
constexpr std::uint8_t kNoOperation = 1;
constexpr std::uint8_t kMaxSegmentSize = 2;
constexpr std::size_t kMaxSegmentSizeBytes = 4;
constexpr std::uint8_t kWindowScale = 3;
constexpr std::size_t kWindowScaleBytes = 3;
constexpr std::uint8_t kSack = 5;
constexpr std::uint8_t kTimestamps = 8;
constexpr std::size_t kTimestampsBytes = 10;

bool read_sack(TcpHeader& header, Bytes blocks) {
  const std::size_t count = blocks.size() / kSackBlockBytes;
  if (count == 0 || count > TcpHeader::kMaxSackBlocks || blocks.size() % kSackBlockBytes != 0)
    return false;
  header.sack = {};
  header.sack_count = static_cast<std::uint8_t>(count);
  for (std::size_t index = 0; index < count; ++index)
    header.sack[index] = {.left = read_32(blocks, index * kSackBlockBytes),
                          .right = read_32(blocks, index * kSackBlockBytes + 4)};
  return true;
}

// `option` is whole, from its kind on. False where it has not the length of its kind.
bool read_option(TcpHeader& header, Bytes option) {
  switch (option[0]) {
    case kMaxSegmentSize:
      if (option.size() != kMaxSegmentSizeBytes) return false;
      if (header.syn) header.max_segment_size = read_16(option, 2);
      return true;
    case kWindowScale:
      if (option.size() != kWindowScaleBytes) return false;
      if (header.syn) header.window_scale = option[2];
      return true;
    case kSack:
      return read_sack(header, option.subspan(2));
    case kTimestamps:
      if (option.size() != kTimestampsBytes) return false;
      header.timestamps = {.value = read_32(option, 2), .echo_reply = read_32(option, 6)};
      return true;
    default:
      return true;
  }
}

void read_options(TcpHeader& header, Bytes options) {
  while (!options.empty() && options[0] != kEndOfOptions) {
    if (options[0] == kNoOperation) {
      options = options.subspan(1);
      continue;
    }
    if (options.size() < 2 || options[1] < 2 || options[1] > options.size()) return;
    const std::size_t length = options[1];
    if (!read_option(header, options.first(length))) return;
    options = options.subspan(length);
  }
}

}  // namespace

std::optional<TcpHeader> parse_tcp_header(std::span<const std::uint8_t> segment) {
  if (segment.size() < kMinHeaderBytes) return std::nullopt;
  const std::size_t length = std::size_t{segment[12]} / 16 * 4;
  if (length < kMinHeaderBytes || length > segment.size()) return std::nullopt;

  const std::uint8_t flags = segment[13];
  TcpHeader header;
  header.sequence = read_32(segment, 4);
  header.acknowledgement = read_32(segment, 8);
  header.fin = (flags & 0x01U) != 0;
  header.syn = (flags & 0x02U) != 0;
  header.rst = (flags & 0x04U) != 0;
  header.psh = (flags & 0x08U) != 0;
  header.ack = (flags & 0x10U) != 0;
  header.window = read_16(segment, 14);
  header.header_length = static_cast<std::uint8_t>(length);
  read_options(header, segment.first(length).subspan(kMinHeaderBytes));
  return header;
}

}  // namespace captures
