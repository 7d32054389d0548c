// Any file is read as a capture: each packet is in one conversation or has a reason why not, what
// is decoded holds together, and can be searched for findings and put into words. Built with
// libFuzzer.

#include "analysis/capture_file.hh"
#include "analysis/finding.hh"
#include "analysis/wording.hh"
#include "base/errors.hh"
#include "tests/fuzz/decoded_checks.hh"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

namespace {

using analysis::CapturedConversation;
using analysis::PacketEvent;

void check_conversation(const CapturedConversation& conversation, std::size_t packets) {
  LABRUN_ASSERT(conversation.exchange.conversations.size() == 1);
  LABRUN_ASSERT(!conversation.exchange.events.empty());
  std::size_t last = 0;
  for (const PacketEvent& event : conversation.exchange.events) {
    LABRUN_ASSERT(event.number > last && event.number <= packets);
    last = event.number;
    fuzz::check_decoded(event.packet);
    LABRUN_ASSERT(!describe_packet(event.packet, analysis::Details::kShort).empty());
    LABRUN_ASSERT(!describe_packet(event.packet, analysis::Details::kAll).empty());
  }
  const auto findings = analysis::find_all(
      conversation.exchange, {}, {.record = nullptr, .retry_always = false, .two_ended = false});
  for (const analysis::Finding& finding : findings) {
    LABRUN_ASSERT(!finding.text.empty());
    analysis::finding_rule(finding.id);
    for (const analysis::PacketReference& packet : finding.packets)
      LABRUN_ASSERT(packet.number >= 1 && packet.number <= packets);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream input(std::string(reinterpret_cast<const char*>(data), size));
  const analysis::CaptureFile capture = analysis::read_capture(input, {});
  std::size_t decoded = 0;
  for (const CapturedConversation& conversation : capture.conversations) {
    check_conversation(conversation, capture.packets);
    decoded += conversation.exchange.events.size();
  }
  LABRUN_ASSERT(decoded + capture.unread_count == capture.packets);
  for (const analysis::UnreadPacket& packet : capture.unread)
    LABRUN_ASSERT(packet.number >= 1 && packet.number <= capture.packets && !packet.why.empty());
  return 0;
}
