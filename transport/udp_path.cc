#include "transport/udp_path.hh"

#include "base/errors.hh"

#include <cstring>

namespace transport {

SocketAddress::SocketAddress(const sockaddr* address, socklen_t address_length)
    : length(address_length) {
  LABRUN_ASSERT(address_length <= sizeof storage);
  std::memcpy(&storage, address, address_length);
}

bool SocketAddress::operator==(const SocketAddress& other) const {
  return length == other.length && std::memcmp(&storage, &other.storage, length) == 0;
}

}  // namespace transport
