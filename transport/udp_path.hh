#pragma once

// Where a datagram comes from and goes to: the addresses that sockets and QUIC share.

#include <sys/socket.h>

namespace transport {

// An IPv4 or IPv6 address with its port.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  SocketAddress() = default;
  SocketAddress(const sockaddr* address, socklen_t address_length);
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  bool operator==(const SocketAddress& other) const;
};

// One end's view: `local` is ours, also for datagrams that we receive.
struct UdpPath {
  SocketAddress local;
  SocketAddress remote;
  bool operator==(const UdpPath&) const = default;
};

}  // namespace transport
