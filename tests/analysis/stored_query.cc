#include "tests/analysis/stored_query.hh"

#include "analysis/accounting.hh"
#include "analysis/block_evidence.hh"
#include "analysis/query_analysis.hh"
#include "base/errors.hh"
#include "base/file_descriptor.hh"
#include "captures/pcapng_reader.hh"
#include "captures/pcapng_writer.hh"
#include "tests/paths.hh"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

namespace test {
namespace {

namespace fs = std::filesystem;
using analysis::End;
using analysis::PacketEvent;

StoredEnd read_end(const fs::path& folder, std::string_view end) {
  StoredEnd stored;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().ends_with(std::string(end) + ".pcapng")) continue;
    std::ifstream input(entry.path(), std::ios::binary);
    captures::PcapngReader reader(input);
    for (auto block = reader.next(); block && *block; block = reader.next()) {
      if (auto* packet = std::get_if<captures::PacketSeen>(&**block))
        stored.packets.push_back(std::move(packet->packet));
      if (const auto* secrets = std::get_if<captures::SecretsSeen>(&**block))
        stored.keylog += secrets->text;
    }
  }
  if (stored.packets.empty())
    throw base::LabError("no packets of the " + std::string(end) + " in " + folder.string());
  return stored;
}

std::string compose(const StoredEnd& end, const std::string& name) {
  captures::PcapngWriter writer({.application = "labrun's tests", .comment = ""});
  const auto interface = writer.add_interface({.name = name, .description = "", .snap_length = 0});
  if (!end.keylog.empty()) writer.add_secrets(end.keylog);
  for (const captures::CapturedPacket& packet : end.packets)
    writer.add_packet(interface, packet, {});
  return writer.bytes();
}

}  // namespace

bool Analysed::has(std::string_view id) const {
  return find(id) != nullptr;
}

const analysis::Finding* Analysed::find(std::string_view id) const {
  const auto found = std::ranges::find(findings, id, &analysis::Finding::id);
  return found == findings.end() ? nullptr : &*found;
}

StoredQuery::StoredQuery(std::string_view name) {
  const fs::path folder = tests::source_folder() / "tests" / "data" / "findings" / name;
  client = read_end(folder, "client");
  server = read_end(folder, "server");
  auto parsed = captures::parse_query_record(base::read_file(folder / "query.json"));
  if (!parsed) throw base::LabError(parsed.error());
  record = std::move(*parsed);
  retry_always = record.cell.contains("retry=always");
  if (name == "late") timeout = std::chrono::seconds(1);
}

Analysed StoredQuery::analyse() const {
  Analysed result;
  result.record = record;
  std::istringstream client_file(compose(client, "client"));
  std::istringstream server_file(compose(server, "server"));
  std::set<captures::IpAddress> addresses;
  for (const captures::Flow& flow : record.flows)
    for (const std::string& address : {flow.local_address, flow.remote_address})
      addresses.insert(captures::parse_ip_address(address).value());
  const analysis::BlockEvidence evidence =
      analysis::examine_block({client_file, server_file}, std::span(&result.record, 1), addresses);
  result.account = evidence.account;
  const analysis::QuerySetting setting{.delay_to_server = std::chrono::milliseconds(20),
                                       .delay_to_client = std::chrono::milliseconds(20),
                                       .client_timeout = timeout,
                                       .work_is_free = true,
                                       .retry_always = retry_always};
  result.exchange =
      analysis::exchange_of(evidence, 0, result.record, analysis::secrets_of(evidence), setting);
  result.findings = analysis::find_all(result.exchange, analysis::find_causes(result.exchange),
                                       {.record = &result.record, .retry_always = retry_always});
  return result;
}

void StoredQuery::erase(std::vector<captures::CapturedPacket>& packets,
                        const std::vector<std::size_t>& numbers) const {
  std::vector<captures::CapturedPacket> kept;
  for (std::size_t index = 0; index < packets.size(); ++index)
    if (!std::ranges::contains(numbers, index + 1)) kept.push_back(std::move(packets[index]));
  packets = std::move(kept);
}

void StoredQuery::gave_up() {
  record.outcome = captures::Outcome::kNoAnswer;
  record.time.reset();
}

void StoredQuery::never_sent(const std::function<bool(const PacketEvent&)>& unwanted) {
  std::vector<std::size_t> at_client;
  std::vector<std::size_t> at_server;
  for (const PacketEvent& event : analyse().exchange.events) {
    if (!unwanted(event)) continue;
    (event.from == End::kClient ? at_client : at_server).push_back(event.number);
    (event.from == End::kClient ? at_server : at_client).push_back(event.arrival_number);
  }
  if (at_client.empty()) throw base::LabError("no packet to take away");
  erase(client.packets, at_client);
  erase(server.packets, at_server);
}

void StoredQuery::lost(const std::function<bool(const PacketEvent&)>& unwanted) {
  std::vector<std::size_t> at_client;
  std::vector<std::size_t> at_server;
  for (const PacketEvent& event : analyse().exchange.events)
    if (unwanted(event))
      (event.from == End::kClient ? at_server : at_client).push_back(event.arrival_number);
  if (at_client.empty() && at_server.empty()) throw base::LabError("no packet to lose");
  erase(client.packets, at_client);
  erase(server.packets, at_server);
}

void StoredQuery::arrived(const std::function<bool(const PacketEvent&)>& wanted) {
  constexpr std::int64_t kDelayNs = 20'000'000;
  bool any = false;
  for (const PacketEvent& event : analyse().exchange.events) {
    if (!event.lost() || !wanted(event)) continue;
    any = true;
    const bool to_server = event.from == End::kClient;
    captures::CapturedPacket copy = (to_server ? client : server).packets.at(event.number - 1);
    copy.timestamp_ns += kDelayNs;
    copy.direction = captures::Direction::kInbound;
    auto& packets = (to_server ? server : client).packets;
    const auto place = std::ranges::upper_bound(packets, copy.timestamp_ns, {},
                                                &captures::CapturedPacket::timestamp_ns);
    packets.insert(place, std::move(copy));
  }
  if (!any) throw base::LabError("no lost packet that could arrive");
}

}  // namespace test
