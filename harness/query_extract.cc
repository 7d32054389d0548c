#include "harness/query_extract.hh"

#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "base/version.hh"
#include "captures/block_capture.hh"
#include "captures/flow_index.hh"
#include "captures/keylog.hh"

#include <algorithm>
#include <format>
#include <span>
#include <string>
#include <vector>

namespace harness {
namespace {

namespace fs = std::filesystem;

// The lines that belong to the query's connections.
std::string keys_of(const analysis::BlockEvidence& evidence, const analysis::Exchange& exchange) {
  captures::KeylogCollection keys;
  keys.add(evidence.client.keylog);
  keys.add(evidence.server.keylog);
  std::string lines;
  for (const analysis::ConversationFacts& facts : exchange.conversations) {
    if (!facts.handshake.client_random) continue;
    std::string random;
    for (const std::uint8_t byte : *facts.handshake.client_random)
      random += std::format("{:02x}", byte);
    lines += keys.lines_of(random);
  }
  return lines;
}

captures::EndEvidence packets_of(const analysis::EndCapture& capture,
                                 std::span<const captures::QueryRecord> records) {
  captures::FlowIndex flows(records);
  std::vector<const analysis::EndPacket*> kept;
  for (const auto* direction : {&capture.outbound, &capture.inbound})
    for (const analysis::EndPacket& packet : *direction)
      if (packet.parsed && flows.owner_of(*packet.parsed)) kept.push_back(&packet);
  std::ranges::sort(kept, {}, &analysis::EndPacket::number);
  captures::EndEvidence end{.name = capture.end, .snap_length = 0, .counters = {}, .packets = {}};
  for (const analysis::EndPacket* packet : kept) end.packets.push_back(packet->captured);
  end.counters.received = end.packets.size();
  return end;
}

}  // namespace

captures::BlockCaptureFiles extract_queries(const analysis::BlockEvidence& evidence,
                                            std::span<const ExtractedQuery> queries,
                                            const std::string& comment) {
  std::vector<captures::QueryRecord> records;
  records.reserve(queries.size());
  for (const ExtractedQuery& query : queries) {
    records.push_back(query.record);
    records.back().keylog = keys_of(evidence, query.exchange);
  }
  const captures::EndEvidence client = packets_of(evidence.client, records);
  const captures::EndEvidence server = packets_of(evidence.server, records);
  return captures::compose_block_captures({.application = std::format("labrun {}", base::kVersion),
                                           .comment = comment,
                                           .client = client,
                                           .server = server,
                                           .records = records,
                                           .server_keylog = {}});
}

void save_query(const fs::path& folder, const analysis::BlockEvidence& evidence,
                const analysis::Exchange& exchange, const captures::QueryRecord& record) {
  std::error_code error;
  if (!fs::create_directories(folder, error))
    throw base::LabError(std::format("save query {} in {}: {}", record.id, folder.string(),
                                     error ? error.message() : "it exists already"));
  const ExtractedQuery query{record, exchange};
  const captures::BlockCaptureFiles files =
      extract_queries(evidence, std::span(&query, 1), std::format("query {}", record.id));
  base::write_file_atomically(captures::block_capture_path(folder, record.block, "client"),
                              files.client);
  base::write_file_atomically(captures::block_capture_path(folder, record.block, "server"),
                              files.server);
  base::write_file_atomically(folder / "query.json", captures::to_json_line(record) + "\n");
}

}  // namespace harness
