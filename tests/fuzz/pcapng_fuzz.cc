// No file makes the pcapng reader loop, crash or claim more packets than it has bytes for; what it
// reads, the writer can write and the reader reads back the same. Built with libFuzzer.

#include "base/errors.hh"
#include "captures/pcapng_reader.hh"
#include "captures/pcapng_writer.hh"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace {

// Packets up to the first malformed block.
std::vector<captures::PacketSeen> packets_of(const std::string& file) {
  std::istringstream input(file);
  captures::PcapngReader reader(input);
  std::vector<captures::PacketSeen> packets;
  for (;;) {
    auto block = reader.next();
    if (!block || !*block) return packets;
    if (auto* packet = std::get_if<captures::PacketSeen>(&**block))
      packets.push_back(std::move(*packet));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto packets = packets_of(std::string(reinterpret_cast<const char*>(data), size));
  captures::PcapngWriter writer({.application = "fuzz", .comment = {}});
  const auto interface =
      writer.add_interface({.name = "client", .description = {}, .snap_length = 0});
  for (const auto& seen : packets) writer.add_packet(interface, seen.packet, seen.comment);
  const auto again = packets_of(writer.bytes());
  LABRUN_ASSERT(again.size() == packets.size());
  for (std::size_t index = 0; index < again.size(); ++index)
    LABRUN_ASSERT(again[index].packet == packets[index].packet);
  return 0;
}
