// No file of either format makes a reader loop, crash or claim more packet bytes than the file has,
// and whatever frames it holds can be looked into. Built with libFuzzer.

#include "base/errors.hh"
#include "captures/capture_reader.hh"
#include "captures/link_frame.hh"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream input(std::string(reinterpret_cast<const char*>(data), size));
  captures::CaptureReader reader(input);
  std::vector<std::uint32_t> link_types;  // of each interface
  std::size_t packet_bytes = 0;
  for (;;) {
    const auto block = reader.next();
    if (!block) {
      LABRUN_ASSERT(!block.error().empty());
      return 0;
    }
    if (!*block) return 0;
    if (const auto* interface = std::get_if<captures::InterfaceSeen>(&**block))
      link_types.push_back(interface->link_type);
    const auto* seen = std::get_if<captures::PacketSeen>(&**block);
    if (seen == nullptr) continue;
    packet_bytes += seen->packet.bytes.size();
    LABRUN_ASSERT(packet_bytes <= size);
    LABRUN_ASSERT(seen->packet.timestamp_ns >= 0);
    const auto packet = captures::parse_frame(link_types.at(seen->interface), seen->packet.bytes);
    LABRUN_ASSERT(!packet || packet->ip_length <= seen->packet.bytes.size());
  }
}
