#pragma once

// Sockets bound to one address and port each, non-blocking and close-on-exec. Errors say which
// listener could not be had and, where somebody can do something about it, what.

#include "base/file_descriptor.hh"
#include "transport/udp_path.hh"

#include <cstdint>
#include <string>
#include <string_view>

namespace endpoints {

// Throws BadSpec unless `address` is an IPv4 or IPv6 address in text form.
transport::SocketAddress socket_address(const std::string& address, std::uint16_t port);
// "192.0.2.53:853", "[2001:db8::53]:853".
std::string to_string(const transport::SocketAddress& address);

enum class Fragmentation {
  kAsNeeded,  // DNS over UDP: a large answer may go in fragments
  kNever,     // QUIC: RFC 9000 section 14 sets the DF bit
};

// `purpose` names the listener in errors: "doq".
base::FileDescriptor bind_udp(const transport::SocketAddress& address, Fragmentation fragmentation,
                              std::string_view purpose);
// Accepted connections inherit TCP_NODELAY.
base::FileDescriptor listen_tcp(const transport::SocketAddress& address, std::string_view purpose);

}  // namespace endpoints
