// Whatever bytes arrive, a parsed packet's payload lies within the frame and its length does not
// exceed it. Built with libFuzzer.

#include "base/errors.hh"
#include "captures/ip_packet.hh"

#include <cstddef>
#include <cstdint>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span frame(data, size);
  const auto packet = captures::parse_ethernet_frame(frame);
  if (!packet) return 0;
  LABRUN_ASSERT(packet->ip_length <= size);
  LABRUN_ASSERT(packet->payload.empty() ||
                (packet->payload.data() >= data &&
                 packet->payload.data() + packet->payload.size() <= data + size));
  LABRUN_ASSERT(captures::parse_ip_address(captures::to_string(packet->tuple.source)) ==
                packet->tuple.source);
  return 0;
}
