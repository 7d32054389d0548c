#pragma once

// Reads what `labrun analyze FILE --packets` prints: one JSON object per captured packet and line.

#include "tests/decoder/seen_packet.hh"

#include <string_view>
#include <vector>

namespace decoder {

// Throws, with the line, where one is not such an object.
SeenPacket parse_packet_line(std::string_view line);
std::vector<SeenPacket> parse_packet_lines(std::string_view text);

}  // namespace decoder
