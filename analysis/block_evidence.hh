#pragma once

// The two captures of a block put together: every packet of both belongs to a query, to the
// calibration, or is a complaint; every packet that was sent arrived or is lost. Reads capture
// files, never the network.

#include "analysis/block_account.hh"
#include "analysis/end.hh"
#include "analysis/end_capture.hh"
#include "analysis/packet_match.hh"
#include "captures/ip_packet.hh"
#include "captures/query_record.hh"

#include <cstddef>
#include <cstdint>
#include <istream>
#include <set>
#include <span>
#include <vector>

namespace analysis {

// A packet of a query, and what became of it.
struct SentPacket {
  End from = End::kClient;
  const EndPacket* packet = nullptr;  // in the sender's capture
  Fate fate;
  bool earlier = false;            // of the query's preparation
  std::uint64_t ordinal = 0;       // 1 is the first packet that this end sent for the query
  std::size_t arrival_number = 0;  // in the receiver's capture; 0 where it was lost
};

struct BlockEvidence {
  EndCapture client;
  EndCapture server;
  // Of each record its packets, the client's first, each end's in the order of sending. They point
  // into the captures.
  std::vector<std::vector<SentPacket>> queries;
  BlockAccount account;
};

struct CaptureStreams {
  std::istream& client;
  std::istream& server;
};

// Examines a block and sets `wire` and `lost` of its records, which are those of this block only.
// Throws LabError where a capture is malformed or two records used the same flow.
BlockEvidence examine_block(const CaptureStreams& streams, std::span<captures::QueryRecord> records,
                            const std::set<captures::IpAddress>& lab_addresses);

}  // namespace analysis
