#pragma once

// Reads what tshark says of a capture.

#include "tests/decoder/seen_packet.hh"

#include <string>
#include <string_view>
#include <vector>

namespace decoder {

// Arguments of tshark that make it print all that parse_pdml() needs, and little else: the full
// details of a capture are forty times as long as the capture.
const std::vector<std::string>& pdml_arguments();

// Throws LabError where a packet is not what is expected of tshark.
std::vector<SeenPacket> parse_pdml(std::string_view text);

}  // namespace decoder
