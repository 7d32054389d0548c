#pragma once

// One end's capture of a block in memory, with each packet's meaning for the accounts.

#include "captures/captured_packet.hh"
#include "captures/ip_packet.hh"

#include <cstdint>
#include <expected>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {

// `parsed` views `captured`, whose bytes stay where they are when the packet moves.
struct EndPacket {
  captures::CapturedPacket captured;
  std::expected<captures::IpPacket, std::string_view> parsed;
  std::size_t number = 0;  // in the file, from 1, as viewers count

  bool is_echo() const { return parsed && parsed->is_echo(); }
};

struct EndCapture {
  std::string end;  // "client" or "server"
  std::vector<EndPacket> outbound;
  std::vector<EndPacket> inbound;
  std::vector<std::size_t> undirected;  // numbers of packets whose direction the file does not tell
  std::uint64_t dropped = 0;
  std::uint64_t truncated = 0;
  std::string keylog;  // NSS lines of all its decryption secrets blocks
};

// Reads a whole pcapng file. Throws LabError that names the end and the block where the file is
// malformed, holds another link type than Ethernet, or is larger than kMaxPackets.
EndCapture read_end_capture(std::istream& input, std::string end);

// A block of the largest scenario has some 10^5.
inline constexpr std::size_t kMaxPackets = 4'000'000;

}  // namespace analysis
