#pragma once

// Finds the query that a packet belongs to, by the flows that the records name.

#include "captures/ip_packet.hh"
#include "captures/query_record.hh"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <tuple>

namespace captures {

// Knows the flows of one block. A packet belongs to a query when its five-tuple is one of the
// query's flows, in either direction; an ICMP error belongs to the query whose packet it quotes, a
// later fragment to the query of its first one. A server may answer from another address than it
// was asked at, as knot's timers do over QUIC where an interface has several: then the client's
// address and both ports decide, if one query only has them.
class FlowIndex {
 public:
  // Throws LabError where a flow is malformed or named by two records: then packets could not be
  // told apart.
  explicit FlowIndex(std::span<const QueryRecord> records);

  // Index of the record, or nullopt. Packets are given in capture order: fragments are recognised
  // after their first one.
  std::optional<std::size_t> owner_of(const IpPacket& packet);

 private:
  using FragmentKey = std::tuple<IpAddress, IpAddress, IpProtocol, std::uint32_t>;
  std::optional<std::size_t> owner_of(const FiveTuple& tuple) const;

  std::map<FiveTuple, std::size_t> owners_;  // keyed by the tuple of packets from client to server
  // Keyed by the same tuples without the server's address; nullopt where it would decide.
  std::map<FiveTuple, std::optional<std::size_t>> clients_;
  std::map<FragmentKey, std::size_t> fragments_;
};

}  // namespace captures
