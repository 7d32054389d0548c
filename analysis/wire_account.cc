#include "analysis/wire_account.hh"

#include "analysis/end_capture.hh"
#include "analysis/packet_match.hh"
#include "captures/flow_index.hh"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <format>

namespace analysis {
namespace {

using captures::QueryRecord;

constexpr std::size_t kEthernetHeaderBytes = 14;

std::vector<Observation> observations(const std::vector<EndPacket>& packets) {
  std::vector<Observation> seen;
  seen.reserve(packets.size());
  for (const EndPacket& packet : packets) {
    const std::span<const std::uint8_t> bytes(packet.captured.bytes);
    seen.push_back({.timestamp_ns = packet.captured.timestamp_ns,
                    .bytes = bytes.subspan(std::min(bytes.size(), kEthernetHeaderBytes))});
  }
  return seen;
}

void note_delay(DirectionAccount& account, base::Nanoseconds delay) {
  account.min_delay = std::min(account.min_delay.value_or(delay), delay);
  account.max_delay = std::max(account.max_delay.value_or(delay), delay);
}

void count_sent(DirectionAccount& account, std::uint32_t ip_length, const Fate& fate) {
  ++account.sent;
  account.sent_bytes += ip_length;
  account.duplicated += fate.extra_copies;
  if (fate.corrupted) ++account.corrupted;
  if (fate.arrived()) {
    note_delay(account, *fate.delay);
  } else {
    ++account.lost;
  }
}

// One direction's accounts, written into the block's account and the records.
class DirectionAccountant {
 public:
  DirectionAccountant(BlockAccount& account, std::span<QueryRecord> records,
                      const std::set<captures::IpAddress>& lab_addresses)
      : account_(account), records_(records), lab_addresses_(lab_addresses), flows_(records) {}

  void account(const EndCapture& from, const EndCapture& to) {
    const bool to_server = from.end == "client";
    const MatchResult match = match_packets(observations(from.outbound), observations(to.inbound));
    for (std::size_t index = 0; index < from.outbound.size(); ++index)
      account_sent(from.outbound[index], match.sent[index], from.end, to_server);
    for (const std::size_t index : match.never_sent) {
      const EndPacket& packet = to.inbound[index];
      complain(to.end, packet.number, "arrived but was never sent");
      if (packet.parsed) check_addresses(packet.parsed->tuple);
    }
  }

 private:
  void account_sent(const EndPacket& packet, const Fate& fate, const std::string& end,
                    bool to_server) {
    if (!packet.parsed) {
      complain(end, packet.number, packet.parsed.error());
      return;
    }
    const captures::IpPacket& ip = *packet.parsed;
    check_addresses(ip.tuple);
    account_.largest_ip_packet = std::max(account_.largest_ip_packet, ip.ip_length);
    const auto direction = to_server ? &PathAccount::to_server : &PathAccount::to_client;
    if (ip.is_echo()) {
      count_sent(account_.calibration.*direction, ip.ip_length, fate);
      return;
    }
    const auto owner = flows_.owner_of(ip);
    if (!owner) {
      complain(end, packet.number, "belongs to no query");
      return;
    }
    count_sent(account_.queries.*direction, ip.ip_length, fate);
    QueryRecord& record = records_[*owner];
    captures::SentCount& sent = to_server ? record.wire->client : record.wire->server;
    ++sent.packets;
    sent.bytes += ip.ip_length;
    if (!fate.arrived())
      record.lost.push_back({.from = end, .ordinal = sent.packets, .by = "netem"});
  }

  void check_addresses(const captures::FiveTuple& tuple) {
    for (const captures::IpAddress& address : {tuple.source, tuple.destination})
      if (!lab_addresses_.contains(address))
        account_.foreign_addresses.insert(captures::to_string(address));
  }

  void complain(const std::string& end, std::size_t number, std::string_view complaint) {
    ++account_.unaccounted;
    if (account_.complaints.size() < BlockAccount::kMaxComplaints)
      account_.complaints.push_back(std::format("{} packet {}: {}", end, number, complaint));
  }

  BlockAccount& account_;
  std::span<QueryRecord> records_;
  const std::set<captures::IpAddress>& lab_addresses_;
  captures::FlowIndex flows_;
};

void count_undirected(BlockAccount& account, const EndCapture& capture) {
  account.unaccounted += capture.undirected.size();
  if (!capture.undirected.empty())
    account.complaints.push_back(std::format("{} packet {}: its direction is not recorded",
                                             capture.end, capture.undirected.front()));
}

void merge(DirectionAccount& into, const DirectionAccount& other) {
  into.sent += other.sent;
  into.sent_bytes += other.sent_bytes;
  into.lost += other.lost;
  into.duplicated += other.duplicated;
  into.corrupted += other.corrupted;
  if (other.min_delay) note_delay(into, *other.min_delay);
  if (other.max_delay) note_delay(into, *other.max_delay);
}

void merge(PathAccount& into, const PathAccount& other) {
  merge(into.to_server, other.to_server);
  merge(into.to_client, other.to_client);
}

using Json = nlohmann::ordered_json;

Json value_or_null(const std::optional<base::Nanoseconds>& delay) {
  return delay ? Json(delay->count()) : Json(nullptr);
}

Json to_json(const DirectionAccount& account) {
  return {{"sent", account.sent},
          {"sent_bytes", account.sent_bytes},
          {"lost", account.lost},
          {"duplicated", account.duplicated},
          {"corrupted", account.corrupted},
          {"min_delay_ns", value_or_null(account.min_delay)},
          {"max_delay_ns", value_or_null(account.max_delay)}};
}

Json to_json(const PathAccount& account) {
  return {{"client_to_server", to_json(account.to_server)},
          {"server_to_client", to_json(account.to_client)}};
}

}  // namespace

bool BlockAccount::is_sound() const {
  return unaccounted == 0 && foreign_addresses.empty() && capture_drops == 0 && truncated == 0;
}

BlockAccount account_block(const CaptureStreams& streams, std::span<QueryRecord> records,
                           const std::set<captures::IpAddress>& lab_addresses) {
  const EndCapture client = read_end_capture(streams.client, "client");
  const EndCapture server = read_end_capture(streams.server, "server");
  for (QueryRecord& record : records) {
    record.wire = captures::WireCounts{};
    record.lost.clear();
  }
  BlockAccount account;
  DirectionAccountant accountant(account, records, lab_addresses);
  accountant.account(client, server);
  accountant.account(server, client);
  for (const EndCapture* capture : {&client, &server}) {
    count_undirected(account, *capture);
    account.capture_drops += capture->dropped;
    account.truncated += capture->truncated;
  }
  return account;
}

void merge(BlockAccount& into, const BlockAccount& other) {
  merge(into.queries, other.queries);
  merge(into.calibration, other.calibration);
  into.unaccounted += other.unaccounted;
  for (const std::string& complaint : other.complaints)
    if (into.complaints.size() < BlockAccount::kMaxComplaints) into.complaints.push_back(complaint);
  into.foreign_addresses.insert(other.foreign_addresses.begin(), other.foreign_addresses.end());
  into.largest_ip_packet = std::max(into.largest_ip_packet, other.largest_ip_packet);
  into.capture_drops += other.capture_drops;
  into.truncated += other.truncated;
}

nlohmann::ordered_json to_json(const BlockAccount& account) {
  return {{"queries", to_json(account.queries)},
          {"calibration", to_json(account.calibration)},
          {"unaccounted", account.unaccounted},
          {"complaints", account.complaints},
          {"foreign_addresses", account.foreign_addresses},
          {"largest_ip_packet", account.largest_ip_packet},
          {"capture_drops", account.capture_drops},
          {"truncated", account.truncated}};
}

}  // namespace analysis
