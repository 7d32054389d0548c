#include "harness/transport_kind.hh"

#include <cstddef>

namespace harness {
namespace {

// Not RFC 9250's 853: Wireshark takes UDP port 853 for DNS over DTLS (RFC 8094) and would not show
// what is in the lab's captures.
constexpr std::uint16_t kDoqPort = 8853;

constexpr std::array<TransportFacts, kAllTransports.size()> kFacts{{
    {"do53", 53, false, false, 1},
    {"dot", 853, true, false, 3},
    {"doh2", 443, true, false, 3},
    {"doh3", 443, true, true, 2},
    {"doq", kDoqPort, true, true, 2},
}};

}  // namespace

const TransportFacts& facts(Transport transport) {
  return kFacts.at(static_cast<std::size_t>(transport));
}

std::string_view to_string(Transport transport) {
  return facts(transport).name;
}

std::optional<Transport> parse_transport(std::string_view name) {
  for (const Transport transport : kAllTransports)
    if (to_string(transport) == name) return transport;
  return std::nullopt;
}

}  // namespace harness
