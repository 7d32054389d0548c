#pragma once

// The TCP header (RFC 9293 section 3.1) with the options that tell what a sender knew and when:
// selective acknowledgements (RFC 2018), timestamps and window scale (RFC 7323). Bounded,
// allocation-free, and safe on any bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace captures {

// Bytes that arrived out of order: from `left` up to but not including `right`, both sequence
// numbers.
struct SackBlock {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  bool operator==(const SackBlock&) const = default;
};

struct TcpTimestamps {
  std::uint32_t value = 0;       // TSval, in ticks of the sender's own clock
  std::uint32_t echo_reply = 0;  // TSecr, the peer's; means something only where ACK is set
  bool operator==(const TcpTimestamps&) const = default;
};

struct TcpHeader {
  // RFC 2018 section 3: no more fit into the 40 bytes of options.
  static constexpr std::size_t kMaxSackBlocks = 4;

  std::uint32_t sequence = 0;
  std::uint32_t acknowledgement = 0;  // means something only where `ack` is set
  bool fin = false;
  bool syn = false;
  bool rst = false;
  bool psh = false;
  bool ack = false;
  std::uint16_t window = 0;        // as written, not scaled
  std::uint8_t header_length = 0;  // bytes, options included: where the payload starts
  std::array<SackBlock, kMaxSackBlocks> sack{};
  std::uint8_t sack_count = 0;  // of `sack`; what lies behind is zero
  std::optional<TcpTimestamps> timestamps;
  // Only a SYN can carry these (RFC 9293 section 3.7.1, RFC 7323 section 2.2).
  std::optional<std::uint16_t> max_segment_size;  // bytes
  std::optional<std::uint8_t> window_scale;       // bits to shift by, as written

  std::span<const SackBlock> sack_blocks() const { return std::span(sack).first(sack_count); }
  bool operator==(const TcpHeader&) const = default;
};

// Takes a segment from its header on. nullopt where the segment ends within its header or the
// header says that it is shorter than it can be. A malformed option ends the reading of options;
// those before it count.
std::optional<TcpHeader> parse_tcp_header(std::span<const std::uint8_t> segment);

}  // namespace captures
