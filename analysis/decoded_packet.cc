#include "analysis/decoded_packet.hh"

#include <algorithm>

namespace analysis {

bool QuicPacket::ack_eliciting() const {
  return std::ranges::any_of(frames, &QuicFrame::ack_eliciting);
}

bool QuicPacket::only_acknowledges() const {
  return !frames.empty() && std::ranges::all_of(frames, [](const QuicFrame& frame) {
    return frame.type == quic_frame::kAck || frame.type == quic_frame::kAckEcn ||
           frame.type == quic_frame::kPadding;
  });
}

const QuicFrame* QuicPacket::find_frame(std::uint64_t wanted) const {
  const auto found = std::ranges::find(frames, wanted, &QuicFrame::type);
  return found == frames.end() ? nullptr : &*found;
}

bool DecodedPacket::carries(MessageKind kind) const {
  return std::ranges::contains(messages, kind, &MessagePart::kind);
}

bool DecodedPacket::carries_handshake() const {
  return std::ranges::any_of(messages,
                             [](const MessagePart& part) { return is_handshake(part.kind); });
}

bool DecodedPacket::completes_answer() const {
  return std::ranges::any_of(
      dns, [](const DnsFacts& message) { return message.response && !message.truncated; });
}

bool DecodedPacket::has_new_data() const {
  return std::ranges::any_of(data, [](const DataRange& range) { return !range.again; });
}

bool DecodedPacket::has_quic(QuicPacketType type) const {
  return std::ranges::contains(quic, type, &QuicPacket::type);
}

bool DecodedPacket::ack_eliciting() const {
  if (tcp) return tcp->syn || tcp->fin || tcp->end > tcp->begin;
  return std::ranges::any_of(quic, &QuicPacket::ack_eliciting);
}

}  // namespace analysis
