#pragma once

// Addresses in text, and names turned into addresses. The address type itself is transport's, which
// QUIC uses too.

#include "transport/udp_path.hh"

#include <cstdint>
#include <optional>
#include <string>

namespace clients {

using transport::SocketAddress;

// Numeric addresses only, an IPv6 zone ("fe80::1%eth0") included. nullopt for names and garbage.
std::optional<SocketAddress> parse_address(const std::string& address, std::uint16_t port);
// The wildcard address of `family` (AF_INET or AF_INET6).
SocketAddress wildcard_address(int family, std::uint16_t port);
// The local end of a connected socket. Throws SystemError.
SocketAddress local_end_of(int socket);

std::uint16_t port_of(const SocketAddress& address);
std::string address_text(const SocketAddress& address);   // as inet_ntop writes it, no port
std::string endpoint_text(const SocketAddress& address);  // "192.0.2.53:853", "[2001:db8::53]:853"

// The address of `host` that the system's resolver prefers; a numeric address is its own. Blocks,
// so it is done before a query's clock starts. Throws LabError with the resolver's reason.
SocketAddress resolve_host(const std::string& host, std::uint16_t port);

}  // namespace clients
