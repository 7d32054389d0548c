#include "captures/block_capture.hh"

#include "base/file_descriptor.hh"
#include "captures/flow_index.hh"
#include "captures/keylog.hh"
#include "captures/link_frame.hh"
#include "captures/pcapng_writer.hh"

#include <chrono>
#include <format>
#include <optional>
#include <set>

namespace captures {
namespace {

// What stands in front of, and on, a query's first packet.
struct QueryNote {
  std::string secrets;
  std::string comment;
};

struct BlockNotes {
  std::string orphaned_secrets;
  std::vector<QueryNote> queries;  // parallel to the records
};

std::string comment_of(const QueryRecord& record) {
  // When another client's answer was there, the packets have yet to tell.
  if (record.client && record.outcome == Outcome::kAnswered)
    return std::format("{} answered", record.id);
  if (record.outcome == Outcome::kAnswered && record.time) {
    const std::chrono::duration<double, std::milli> time = *record.time;
    return std::format("{} answered in {:.3f} ms", record.id, time.count());
  }
  return std::format("{} {}", record.id,
                     record.outcome == Outcome::kNoAnswer ? "no answer" : "failed");
}

BlockNotes take_notes(const BlockEvidence& evidence) {
  KeylogCollection secrets;
  std::set<std::string> claimed;
  std::vector<std::vector<std::string>> randoms_by_query;
  for (const QueryRecord& record : evidence.records) {
    KeylogCollection own;
    own.add(record.keylog);
    randoms_by_query.push_back(own.client_randoms());
    claimed.insert(own.client_randoms().begin(), own.client_randoms().end());
    secrets.add(record.keylog);
  }
  secrets.add(evidence.server_keylog);

  BlockNotes notes;
  for (const std::string& client_random : secrets.client_randoms())
    if (!claimed.contains(client_random)) notes.orphaned_secrets += secrets.lines_of(client_random);
  for (std::size_t index = 0; index < evidence.records.size(); ++index) {
    QueryNote& note = notes.queries.emplace_back();
    note.comment = comment_of(evidence.records[index]);
    for (const std::string& client_random : randoms_by_query[index])
      note.secrets += secrets.lines_of(client_random);
  }
  return notes;
}

std::string compose_end(const BlockEvidence& evidence, const EndEvidence& end,
                        const BlockNotes& notes) {
  PcapngWriter writer({.application = evidence.application, .comment = evidence.comment});
  const InterfaceId interface =
      writer.add_interface({.name = end.name,
                            .description = std::format("the {}'s end of the path", end.name),
                            .snap_length = end.snap_length});
  if (!notes.orphaned_secrets.empty()) writer.add_secrets(notes.orphaned_secrets);

  FlowIndex flows(evidence.records);
  std::vector<bool> seen(evidence.records.size());
  for (const CapturedPacket& packet : end.packets) {
    const auto parsed = parse_ethernet_frame(packet.bytes);
    const auto owner = parsed ? flows.owner_of(*parsed) : std::nullopt;
    if (!owner || seen[*owner]) {
      writer.add_packet(interface, packet, {});
      continue;
    }
    seen[*owner] = true;
    const QueryNote& note = notes.queries[*owner];
    if (!note.secrets.empty()) writer.add_secrets(note.secrets);
    writer.add_packet(interface, packet, note.comment);
  }
  writer.add_statistics(interface, end.counters,
                        end.packets.empty() ? 0 : end.packets.back().timestamp_ns);
  return writer.bytes();
}

}  // namespace

BlockCaptureFiles compose_block_captures(const BlockEvidence& evidence) {
  const BlockNotes notes = take_notes(evidence);
  return {.client = compose_end(evidence, evidence.client, notes),
          .server = compose_end(evidence, evidence.server, notes)};
}

std::filesystem::path block_capture_path(const std::filesystem::path& directory,
                                         std::uint64_t block, std::string_view end) {
  return directory / std::format("{}-{}.pcapng", block, end);
}

void write_block_captures(const std::filesystem::path& directory, std::uint64_t block,
                          const BlockEvidence& evidence) {
  const BlockCaptureFiles files = compose_block_captures(evidence);
  base::write_file_atomically(block_capture_path(directory, block, "client"), files.client);
  base::write_file_atomically(block_capture_path(directory, block, "server"), files.server);
}

}  // namespace captures
