#pragma once

// A client on the loopback interface for tests whose server runs on an event loop in the same
// thread: it waits by running the loop.

#include "base/errors.hh"
#include "base/event_loop.hh"
#include "base/file_descriptor.hh"
#include "transport/bytes.hh"
#include "transport/udp_path.hh"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <vector>

namespace endpoints {

inline transport::SocketAddress bound_address(const base::FileDescriptor& socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  base::check_syscall(
      ::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &length),
      "read a test socket's address");
  return {reinterpret_cast<const sockaddr*>(&address), length};
}

class LoopbackClient {
 public:
  static constexpr std::chrono::seconds kPatience{30};

  LoopbackClient(base::EventLoop& loop, const transport::SocketAddress& server, int type)
      : loop_(loop),
        socket_(base::check_syscall(::socket(server.get()->sa_family, type | SOCK_CLOEXEC, 0),
                                    "create a test socket")) {
    base::check_syscall(::connect(socket_.number(), server.get(), server.length),
                        "connect a test socket");
  }

  const base::FileDescriptor& socket() const { return socket_; }
  void send(transport::ByteSpan bytes) {
    base::check_syscall(::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                        "send from a test socket");
  }
  void end() { ::shutdown(socket_.number(), SHUT_WR); }

  // At least `length` bytes, or what came until the server ended or reset the connection.
  transport::Bytes receive(std::size_t length = SIZE_MAX) {
    transport::Bytes received;
    // What arrives has to wake the loop; it is read where the condition is asked for.
    loop_.watch(socket_.number(), EPOLLIN, [](std::uint32_t) {});
    loop_.run_until([&] { return read_into(received) || received.size() >= length; },
                    loop_.clock().now() + kPatience);
    loop_.forget(socket_.number());
    return received;
  }
  bool ended() const { return ended_; }

 private:
  bool read_into(transport::Bytes& received) {
    std::vector<std::uint8_t> chunk(65536);
    const ssize_t count = ::recv(socket_.number(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (count > 0) received.insert(received.end(), chunk.begin(), chunk.begin() + count);
    ended_ = count == 0 || (count < 0 && errno != EAGAIN);
    return ended_;
  }

  base::EventLoop& loop_;
  base::FileDescriptor socket_;
  bool ended_ = false;
};

}  // namespace endpoints
