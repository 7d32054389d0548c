#pragma once

// What a query finds when it begins: a word of scenarios, requests and records.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace captures {

enum class ConnectionKind {
  kCold,       // nothing
  kWarm,       // a connection that has answered the same question
  kResumed,    // a session ticket of an earlier connection (RFC 8446 section 2.2)
  kEarlyData,  // the same, and the query goes with the first flight (section 2.3)
  kMigrated,   // a warm QUIC connection, which moves to another port with the query (RFC 9000
               // section 9.2)
  kRebound,    // a warm QUIC connection, whose port a NAT changes before the query (section 9.3.3)
};

inline constexpr std::array kConnectionKinds{ConnectionKind::kCold,     ConnectionKind::kWarm,
                                             ConnectionKind::kResumed,  ConnectionKind::kEarlyData,
                                             ConnectionKind::kMigrated, ConnectionKind::kRebound};

// "cold", "warm", "resumed", "early-data", "migrated", "rebound".
std::string_view to_string(ConnectionKind kind);
std::optional<ConnectionKind> parse_connection_kind(std::string_view name);

// Whether its connection gets another port.
constexpr bool moves(ConnectionKind kind) {
  return kind == ConnectionKind::kMigrated || kind == ConnectionKind::kRebound;
}
// Whether the query goes on with a connection that is open.
constexpr bool is_open(ConnectionKind kind) {
  return kind == ConnectionKind::kWarm || moves(kind);
}
// Whether it begins with a ticket.
constexpr bool has_ticket(ConnectionKind kind) {
  return kind == ConnectionKind::kResumed || kind == ConnectionKind::kEarlyData;
}
// Local ports that a query takes, one behind the other.
constexpr std::uint16_t ports_of(ConnectionKind kind) {
  return kind == ConnectionKind::kCold || kind == ConnectionKind::kWarm ? 1 : 2;
}

}  // namespace captures
