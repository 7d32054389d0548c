#pragma once

// The two capture files of a block, one per end, each complete in itself: packets, the keys of both
// sides in front of the packets that need them, and on each query's first packet a comment that
// names the query.

#include "captures/captured_packet.hh"
#include "captures/query_record.hh"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace captures {

// What one end saw during the block.
struct EndEvidence {
  std::string name;  // "client" or "server", as viewers show the interface
  std::uint32_t snap_length = 0;
  CaptureCounters counters;
  std::vector<CapturedPacket> packets;  // in the order of capture
};

// Views what the caller owns. A record's `keylog` holds the client's secrets; `server_keylog` those
// of the endpoints.
struct BlockEvidence {
  std::string application;  // "labrun 0.1.0"
  std::string comment;      // names scenario, block and seed
  const EndEvidence& client;
  const EndEvidence& server;
  std::span<const QueryRecord> records;
  std::string_view server_keylog;
};

struct BlockCaptureFiles {
  std::string client;
  std::string server;
};

// Complete pcapng files. Equal evidence gives equal bytes. Secrets of connections that no client
// log mentions (the client never heard the server) stand at the start of both files. Throws
// LabError where two queries used the same flow.
BlockCaptureFiles compose_block_captures(const BlockEvidence& evidence);

// <directory>/3-client.pcapng; `end` is "client" or "server".
std::filesystem::path block_capture_path(const std::filesystem::path& directory,
                                         std::uint64_t block, std::string_view end);

// Composes and writes both files into `directory`, which exists; each appears whole or not at all.
void write_block_captures(const std::filesystem::path& directory, std::uint64_t block,
                          const BlockEvidence& evidence);

}  // namespace captures
