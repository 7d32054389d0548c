#pragma once

// A capture that anybody may have made, decoded conversation by conversation: one point of the
// path, any known link type, with the keys that it brings or that are given.

#include "analysis/exchange.hh"
#include "analysis/secret_store.hh"
#include "captures/ip_packet.hh"

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {

struct CapturedConversation {
  captures::FiveTuple tuple;  // of packets from the client
  // One conversation. A packet "arrives" when it is captured: what happened elsewhere, one capture
  // does not tell.
  Exchange exchange;
};

struct UnreadPacket {
  std::size_t number = 0;
  std::string why;
};

struct CaptureFile {
  std::size_t packets = 0;
  std::vector<CapturedConversation> conversations;  // in the order of their first packets
  std::vector<UnreadPacket> unread;  // no IP, cut short, unknown link type; at most kMaxUnread
  std::size_t unread_count = 0;
  std::size_t secrets = 0;  // that came with the file or were given
  std::string broken;       // why reading ended early: "block 17: ..."; empty for a whole file

  static constexpr std::size_t kMaxUnread = 1000;
  // Larger captures are not read to their end: `broken` says so.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 30U;
  static constexpr std::size_t kMaxConversations = 100'000;
  static constexpr std::size_t kMaxFrames = 4'000'000;  // of QUIC
};

// Reads pcapng or classic pcap; `keylog` are NSS lines beside those in the file. Never throws for
// what is in the file.
CaptureFile read_capture(std::istream& input, std::string_view keylog);

}  // namespace analysis
