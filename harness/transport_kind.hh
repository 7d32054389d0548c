#pragma once

// The five transports a scenario may compare, and what the lab's network decides about each: its
// port and the fewest round trips in which a cold query can be answered.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace harness {

enum class Transport { kDo53, kDot, kDoh2, kDoh3, kDoq };

// In the order in which tables and plans show them.
inline constexpr std::array kAllTransports{Transport::kDo53, Transport::kDot, Transport::kDoh2,
                                           Transport::kDoh3, Transport::kDoq};

struct TransportFacts {
  std::string_view name;  // in scenarios, cells and records
  std::uint16_t port;     // of the lab's servers
  bool encrypted;
  bool quic;
  // Round trips from nothing to the answer, server time zero, nothing lost: TCP's handshake is 1,
  // TLS 1.3 is 1 (RFC 8446 section 2), QUIC and TLS together are 1 (RFC 9001 section 4), the query
  // is 1.
  int cold_round_trips;
};

const TransportFacts& facts(Transport transport);
std::string_view to_string(Transport transport);
std::optional<Transport> parse_transport(std::string_view name);

}  // namespace harness
