#pragma once

// One query, completely decided: what is asked, of whom, over which transport, with which settings.
// It holds an address, not a name: resolving the server's name is no part of what is measured.

#include "base/clock.hh"
#include "base/rng.hh"
#include "captures/connection_kind.hh"
#include "clients/address.hh"
#include "transport/dns_message.hh"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clients {

enum class Transport {
  kDo53,     // UDP, and TCP after a truncated answer (RFC 1035, 7766)
  kDo53Tcp,  // TCP from the start
  kDot,      // RFC 7858
  kDoh2,     // RFC 8484 over HTTP/2
  kDoh3,     // RFC 8484 over HTTP/3
  kDoq,      // RFC 9250
};

inline constexpr std::array kTransports{Transport::kDo53, Transport::kDo53Tcp, Transport::kDot,
                                        Transport::kDoh2, Transport::kDoh3,    Transport::kDoq};

// "do53", "do53+tcp", "dot", "doh2", "doh3", "doq".
std::string_view to_string(Transport transport);
std::optional<Transport> transport_from(std::string_view name);
std::uint16_t default_port(Transport transport);
constexpr bool runs_over_quic(Transport transport) {
  return transport == Transport::kDoh3 || transport == Transport::kDoq;
}
constexpr bool runs_over_http(Transport transport) {
  return transport == Transport::kDoh2 || transport == Transport::kDoh3;
}
constexpr bool is_encrypted(Transport transport) {
  return transport != Transport::kDo53 && transport != Transport::kDo53Tcp;
}

using Connection = captures::ConnectionKind;
// Whether a query over `transport` can find that. Do53 has no connection, and TCP's cannot move.
bool can_find(Transport transport, Connection connection);

enum class Padding { kNone, kRfc8467 };
enum class HttpMethod { kGet, kPost };

// Whom the client believes about the server's identity.
enum class Trust {
  kSystem,    // the machine's trust anchors
  kFile,      // those in `ca_file`
  kUnchecked  // nobody: any certificate will do
};

// RFC 9000, section 14.1: what any path for QUIC carries.
inline constexpr std::uint16_t kMinUdpPayload = 1200;

// Longer waits say nothing about a path.
inline constexpr base::Nanoseconds kMaxTimeout = std::chrono::hours(1);

struct QuerySpec {
  Transport transport = Transport::kDo53;
  SocketAddress server;
  std::uint16_t local_port = 0;  // 0: the kernel's choice; else the first of ports_of(connection)
  // For SNI, the certificate check and the HTTP authority; a host name or an address.
  std::string server_name;
  std::string path = "/dns-query";
  transport::DnsQuestion question;
  base::Nanoseconds timeout = std::chrono::seconds(10);
  Connection connection = Connection::kCold;
  // How long an earlier connection, or the open one, has to be silent before the query begins.
  base::Nanoseconds settle = std::chrono::milliseconds(250);
  std::optional<base::Seed> quic_seed;  // transport::QuicSettings::seed
  // Key exchange as offered, in order; OpenSSL sends a key share for the first. Empty: OpenSSL's
  // default.
  std::vector<std::string> groups{"X25519MLKEM768", "X25519"};
  base::Nanoseconds initial_rtt = std::chrono::milliseconds(333);  // RFC 9002, section 6.2.2
  std::uint16_t max_udp_payload = kMinUdpPayload;                  // bytes, QUIC only
  bool pmtud = false;                                              // QUIC only
  Padding padding = Padding::kRfc8467;                             // encrypted transports only
  HttpMethod method = HttpMethod::kGet;                            // DoH only
  Trust trust = Trust::kSystem;
  std::string ca_file;
  bool allow_tls12 = false;  // TCP only; the lab measures TLS 1.3
};

}  // namespace clients
