#include "captures/flow_index.hh"

#include "base/errors.hh"

#include <format>

namespace captures {
namespace {

FiveTuple tuple_of(const Flow& flow, const QueryRecord& record) {
  const auto local = parse_ip_address(flow.local_address);
  const auto remote = parse_ip_address(flow.remote_address);
  const bool udp = flow.protocol == "udp";
  if (!local || !remote || (!udp && flow.protocol != "tcp"))
    throw base::LabError(std::format("query {}: malformed flow {} {} -> {}", record.id,
                                     flow.protocol, flow.local_address, flow.remote_address));
  return {.protocol = udp ? IpProtocol::kUdp : IpProtocol::kTcp,
          .source = *local,
          .source_port = flow.local_port,
          .destination = *remote,
          .destination_port = flow.remote_port};
}

FiveTuple without_server(FiveTuple tuple) {
  tuple.destination = {};
  return tuple;
}

}  // namespace

FlowIndex::FlowIndex(std::span<const QueryRecord> records) {
  for (std::size_t index = 0; index < records.size(); ++index) {
    for (const Flow& flow : records[index].flows) {
      const FiveTuple tuple = tuple_of(flow, records[index]);
      const auto [known, added] = owners_.emplace(tuple, index);
      if (!added && known->second != index)
        throw base::LabError(std::format("queries {} and {} used the same flow: {} {}:{} -> {}:{}",
                                         records[known->second].id, records[index].id,
                                         flow.protocol, flow.local_address, flow.local_port,
                                         flow.remote_address, flow.remote_port));
      const auto [client, first] = clients_.emplace(without_server(tuple), index);
      if (!first && client->second != index) client->second.reset();
    }
  }
}

std::optional<std::size_t> FlowIndex::owner_of(const FiveTuple& tuple) const {
  auto found = owners_.find(tuple);
  if (found == owners_.end()) found = owners_.find(tuple.reversed());
  if (found != owners_.end()) return found->second;
  auto client = clients_.find(without_server(tuple));
  if (client == clients_.end()) client = clients_.find(without_server(tuple.reversed()));
  return client == clients_.end() ? std::nullopt : client->second;
}

std::optional<std::size_t> FlowIndex::owner_of(const IpPacket& packet) {
  if (packet.quoted) return owner_of(*packet.quoted);
  if (!packet.fragment) return owner_of(packet.tuple);
  const FragmentKey key{packet.tuple.source, packet.tuple.destination, packet.tuple.protocol,
                        packet.fragment->identification};
  if (packet.fragment->first) {
    const auto owner = owner_of(packet.tuple);
    if (owner) fragments_[key] = *owner;
    return owner;
  }
  const auto found = fragments_.find(key);
  return found == fragments_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace captures
