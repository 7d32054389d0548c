#pragma once

// What holds of any decoded packet, whatever bytes it came from.

#include "analysis/decoded_packet.hh"
#include "base/errors.hh"

namespace fuzz {

inline bool has_data(const analysis::QuicFrame& frame) {
  return frame.type != analysis::quic_frame::kResetStream;  // its length is the stream's
}

inline void check_quic(const analysis::QuicPacket& packet) {
  const bool sealed = packet.type != analysis::QuicPacketType::kRetry &&
                      packet.type != analysis::QuicPacketType::kVersionNegotiation;
  LABRUN_ASSERT(!sealed || packet.number.has_value() == packet.undecrypted.empty());
  LABRUN_ASSERT(sealed || (!packet.number && packet.frames.empty()));
  std::uint64_t bytes = packet.token.size();
  for (const analysis::QuicFrame& frame : packet.frames) {
    LABRUN_ASSERT(frame.data.empty());  // what it viewed is gone
    if (has_data(frame)) bytes += frame.length;
    for (const analysis::AckRange& range : frame.ranges)
      LABRUN_ASSERT(range.smallest <= range.largest);
  }
  LABRUN_ASSERT(bytes <= packet.size);
}

// After Conversation::describe().
inline void check_decoded(const analysis::DecodedPacket& packet) {
  std::uint64_t bytes = 0;
  for (const analysis::QuicPacket& quic : packet.quic) {
    check_quic(quic);
    bytes += quic.size;
  }
  LABRUN_ASSERT(bytes <= packet.payload_bytes);
  for (const analysis::DataRange& range : packet.data) LABRUN_ASSERT(range.begin <= range.end);
  for (const analysis::MessagePart& part : packet.messages) {
    LABRUN_ASSERT(part.length > 0 || part.total == 0);
    LABRUN_ASSERT(part.length <= part.total && part.offset <= part.total - part.length);
  }
  if (packet.tcp) LABRUN_ASSERT(packet.tcp->end - packet.tcp->begin == packet.payload_bytes);
}

}  // namespace fuzz
