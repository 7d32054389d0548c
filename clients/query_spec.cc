#include "clients/query_spec.hh"

#include "base/errors.hh"

namespace clients {
namespace {

struct TransportFacts {
  Transport transport;
  std::string_view name;
  std::uint16_t port;
};

// RFC 1035, 7858, 8484, 9114, 9250.
constexpr std::array<TransportFacts, kTransports.size()> kFacts{{
    {Transport::kDo53, "do53", 53},
    {Transport::kDo53Tcp, "do53+tcp", 53},
    {Transport::kDot, "dot", 853},
    {Transport::kDoh2, "doh2", 443},
    {Transport::kDoh3, "doh3", 443},
    {Transport::kDoq, "doq", 853},
}};

const TransportFacts& facts_of(Transport transport) {
  const auto index = static_cast<std::size_t>(transport);
  LABRUN_ASSERT(index < kFacts.size() && kFacts[index].transport == transport);
  return kFacts[index];
}

}  // namespace

std::string_view to_string(Transport transport) {
  return facts_of(transport).name;
}

std::optional<Transport> transport_from(std::string_view name) {
  for (const TransportFacts& facts : kFacts)
    if (facts.name == name) return facts.transport;
  return std::nullopt;
}

bool can_find(Transport transport, Connection connection) {
  switch (connection) {
    case Connection::kCold:
      return true;
    case Connection::kWarm:
      return transport != Transport::kDo53;
    case Connection::kResumed:
    case Connection::kEarlyData:
      return is_encrypted(transport);
    case Connection::kMigrated:
    case Connection::kRebound:
      return runs_over_quic(transport);
  }
  return false;
}

std::uint16_t default_port(Transport transport) {
  return facts_of(transport).port;
}

}  // namespace clients
