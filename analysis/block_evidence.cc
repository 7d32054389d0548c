#include "analysis/block_evidence.hh"

#include "analysis/packet_match.hh"
#include "captures/flow_index.hh"

#include <algorithm>
#include <array>
#include <format>
#include <string_view>
#include <tuple>
#include <utility>

namespace analysis {
namespace {

using captures::QueryRecord;

constexpr std::size_t kEthernetHeaderBytes = 14;
constexpr std::string_view kByGate = "gate";

// The client's first, each end's in the order of sending.
bool comes_before(const captures::LostPacket& left, const captures::LostPacket& right) {
  return std::tie(left.from, left.ordinal) < std::tie(right.from, right.ordinal);
}

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

void count_sent(DirectionAccount& account, std::uint32_t ip_length, const Fate& fate) {
  ++account.sent;
  account.sent_bytes += ip_length;
  account.duplicated += fate.extra_copies;
  if (fate.corrupted) ++account.corrupted;
  if (fate.arrived()) {
    account.note_delay(*fate.delay);
  } else {
    ++account.lost;
  }
}

// One direction's accounts, written into the block's account and the records.
class DirectionAccountant {
 public:
  DirectionAccountant(BlockEvidence& evidence, std::span<QueryRecord> records,
                      const std::set<captures::IpAddress>& lab_addresses)
      : account_(evidence.account),
        queries_(evidence.queries),
        records_(records),
        lab_addresses_(lab_addresses),
        flows_(records),
        prepared_(records.size()) {}

  void account(const EndCapture& from, const EndCapture& to) {
    MatchResult match = match_packets(observations(from.outbound), observations(to.inbound));
    note_spoilt_headers(from, to, match.sent);
    for (std::size_t index = 0; index < from.outbound.size(); ++index)
      account_sent(from.outbound[index], match.sent[index], from, to);
    for (const std::size_t index : match.never_sent) {
      const EndPacket& packet = to.inbound[index];
      complain(to.end, packet.number, "arrived but was never sent");
      if (packet.parsed) check_addresses(packet.parsed->tuple);
    }
  }

 private:
  // Where the inverted bit lies in front of the IP packet, that is whole, but its receiver takes it
  // for somebody else's.
  static void note_spoilt_headers(const EndCapture& from, const EndCapture& to,
                                  std::vector<Fate>& fates) {
    for (std::size_t index = 0; index < fates.size(); ++index) {
      Fate& fate = fates[index];
      if (fate.arrival && !same_receiver(from.outbound[index], to.inbound[*fate.arrival]))
        fate.corrupted = true;
    }
  }

  // Nobody looks at the sender's address, which lies between.
  static bool same_receiver(const EndPacket& sent, const EndPacket& arrived) {
    constexpr std::size_t kAddressBytes = 6;
    const std::span<const std::uint8_t> one(sent.captured.bytes);
    const std::span<const std::uint8_t> other(arrived.captured.bytes);
    if (one.size() < kEthernetHeaderBytes || other.size() < kEthernetHeaderBytes) return true;
    const auto same = [&](std::size_t begin, std::size_t bytes) {
      return std::ranges::equal(one.subspan(begin, bytes), other.subspan(begin, bytes));
    };
    return same(0, kAddressBytes) &&
           same(2 * kAddressBytes, kEthernetHeaderBytes - 2 * kAddressBytes);
  }

  void account_sent(const EndPacket& packet, const Fate& fate, const EndCapture& from,
                    const EndCapture& to) {
    const bool to_server = from.end == "client";
    if (!packet.parsed) {
      complain(from.end, packet.number, packet.parsed.error());
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
      complain(from.end, packet.number, "belongs to no query");
      return;
    }
    SentPacket sent{.from = to_server ? End::kClient : End::kServer,
                    .packet = &packet,
                    .fate = fate,
                    .arrival_number = fate.arrival ? to.inbound[*fate.arrival].number : 0};
    sent.earlier = is_earlier(*owner, sent.from);
    PathAccount& path = sent.earlier ? account_.preparation : account_.queries;
    count_sent(path.*direction, ip.ip_length, fate);
    if (!sent.earlier) {
      QueryRecord& record = records_[*owner];
      captures::SentCount& counted = to_server ? record.wire->client : record.wire->server;
      sent.ordinal = ++counted.packets;
      counted.bytes += ip.ip_length;
      note_loss(record, {.from = from.end, .ordinal = sent.ordinal, .by = "netem"}, fate,
                packet.number);
    }
    queries_[*owner].push_back(sent);
  }

  // Counts as it is asked, for each packet once.
  bool is_earlier(std::size_t query, End from) {
    const auto& preparation = records_[query].preparation;
    if (!preparation) return false;
    std::uint64_t& seen = prepared_[query].at(static_cast<std::size_t>(from));
    return ++seen <=
           (from == End::kClient ? preparation->client_packets : preparation->server_packets);
  }

  // What the gate dropped is in the record already, by the gate's own log.
  void note_loss(QueryRecord& record, captures::LostPacket lost, const Fate& fate,
                 std::size_t number) {
    const bool by_gate = std::ranges::any_of(record.lost, [&](const captures::LostPacket& known) {
      return known.by == kByGate && known.from == lost.from && known.ordinal == lost.ordinal;
    });
    if (fate.arrived() && by_gate)
      return complain(lost.from, number, "arrived although the gate dropped it");
    if (!fate.arrived() && !by_gate) record.lost.push_back(std::move(lost));
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
  std::vector<std::vector<SentPacket>>& queries_;
  std::span<QueryRecord> records_;
  const std::set<captures::IpAddress>& lab_addresses_;
  captures::FlowIndex flows_;
  std::vector<std::array<std::uint64_t, 2>> prepared_;  // packets of each query, by end
};

void count_undirected(BlockAccount& account, const EndCapture& capture) {
  account.unaccounted += capture.undirected.size();
  if (!capture.undirected.empty())
    account.complaints.push_back(std::format("{} packet {}: its direction is not recorded",
                                             capture.end, capture.undirected.front()));
}

}  // namespace

BlockEvidence examine_block(const CaptureStreams& streams, std::span<QueryRecord> records,
                            const std::set<captures::IpAddress>& lab_addresses) {
  BlockEvidence evidence{.client = read_end_capture(streams.client, "client"),
                         .server = read_end_capture(streams.server, "server"),
                         .queries = std::vector<std::vector<SentPacket>>(records.size()),
                         .account = {}};
  for (QueryRecord& record : records) {
    record.wire = captures::WireCounts{};
    std::erase_if(record.lost, [](const captures::LostPacket& lost) { return lost.by != kByGate; });
  }
  DirectionAccountant accountant(evidence, records, lab_addresses);
  accountant.account(evidence.client, evidence.server);
  accountant.account(evidence.server, evidence.client);
  for (QueryRecord& record : records) std::ranges::stable_sort(record.lost, comes_before);
  for (const EndCapture* capture : {&evidence.client, &evidence.server}) {
    count_undirected(evidence.account, *capture);
    evidence.account.capture_drops += capture->dropped;
    evidence.account.truncated += capture->truncated;
  }
  return evidence;
}

}  // namespace analysis
