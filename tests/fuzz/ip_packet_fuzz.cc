// Whatever bytes arrive on whatever link, a parsed packet lies within the frame and its payload
// within the packet. Built with libFuzzer.

#include "base/errors.hh"
#include "captures/link_frame.hh"

#include <cstddef>
#include <cstdint>
#include <span>

namespace {

using Bytes = std::span<const std::uint8_t>;

bool lies_within(Bytes inner, Bytes outer) {
  return inner.empty() || (inner.data() >= outer.data() &&
                           inner.data() + inner.size() <= outer.data() + outer.size());
}

void check_packet(const captures::IpPacket& packet, Bytes from_ip_header) {
  LABRUN_ASSERT(packet.ip_length <= from_ip_header.size());
  LABRUN_ASSERT(lies_within(packet.payload, from_ip_header.first(packet.ip_length)));
  LABRUN_ASSERT(captures::parse_ip_address(captures::to_string(packet.tuple.source)) ==
                packet.tuple.source);
  if (!packet.tcp) return;
  LABRUN_ASSERT(packet.tuple.protocol == captures::IpProtocol::kTcp);
  LABRUN_ASSERT(packet.tcp->header_length >= 20 && packet.tcp->header_length <= 60);
  LABRUN_ASSERT(packet.payload.size() + packet.tcp->header_length < packet.ip_length);
  LABRUN_ASSERT(packet.tcp->sack_count <= captures::TcpHeader::kMaxSackBlocks);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes frame(data, size);
  for (const std::uint32_t link_type : captures::kKnownLinkTypes) {
    const auto packet = captures::parse_frame(link_type, frame);
    const auto offset = captures::ip_offset(link_type, frame);
    LABRUN_ASSERT(!offset || *offset < size);
    if (!packet) continue;
    LABRUN_ASSERT(offset.has_value());
    check_packet(*packet, frame.subspan(*offset));
  }
  captures::parse_tcp_header(frame);
  return 0;
}
