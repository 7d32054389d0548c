#include "analysis/end_capture.hh"

#include "base/errors.hh"
#include "captures/link_frame.hh"
#include "captures/pcapng_format.hh"
#include "captures/pcapng_reader.hh"

#include <format>
#include <utility>

namespace analysis {
namespace {

void take_packet(EndCapture& capture, captures::CapturedPacket&& packet, std::size_t number) {
  if (packet.original_length > packet.bytes.size()) ++capture.truncated;
  if (packet.direction == captures::Direction::kUnknown) {
    capture.undirected.push_back(number);
    return;
  }
  const bool outbound = packet.direction == captures::Direction::kOutbound;
  const auto parsed = captures::parse_frame(captures::kLinkEthernet, packet.bytes);
  (outbound ? capture.outbound : capture.inbound)
      .push_back({.captured = std::move(packet), .parsed = parsed, .number = number});
}

}  // namespace

EndCapture read_end_capture(std::istream& input, std::string end) {
  EndCapture capture;
  capture.end = std::move(end);
  captures::PcapngReader reader(input);
  std::size_t number = 0;
  for (;;) {
    auto block = reader.next();
    if (!block)
      throw base::LabError(std::format("capture of the {}: {}", capture.end, block.error()));
    if (!block->has_value()) return capture;
    if (const auto* interface = std::get_if<captures::InterfaceSeen>(&**block)) {
      if (interface->link_type != captures::kLinkEthernet)
        throw base::LabError(std::format("capture of the {}: link type {} is not Ethernet",
                                         capture.end, interface->link_type));
    } else if (const auto* statistics = std::get_if<captures::StatisticsSeen>(&**block)) {
      capture.dropped += statistics->dropped;
    } else if (const auto* secrets = std::get_if<captures::SecretsSeen>(&**block)) {
      if (secrets->type == captures::pcapng::kTlsKeylog) capture.keylog += secrets->text;
    } else if (auto* packet = std::get_if<captures::PacketSeen>(&**block)) {
      if (++number > kMaxPackets)
        throw base::LabError(
            std::format("capture of the {}: more than {} packets", capture.end, kMaxPackets));
      take_packet(capture, std::move(packet->packet), number);
    }
  }
}

}  // namespace analysis
