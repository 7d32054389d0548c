#include "endpoints/tcp_listener.hh"

#include "endpoints/bound_socket.hh"
#include "transport/udp_path.hh"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

namespace endpoints {

struct TcpListener::Client {
  TcpConnection connection;
  transport::SocketAddress remote;
  base::Instant heard_at;
  base::EventLoop::TimerId idle_timer;
  bool waits_for_room = false;
};

TcpListener::TcpListener(base::EventLoop& loop, base::FileDescriptor socket,
                         TcpListenerSettings settings)
    : loop_(loop), socket_(std::move(socket)), settings_(std::move(settings)) {
  loop_.watch(socket_.number(), EPOLLIN, [this](std::uint32_t) { accept(); });
}

TcpListener::~TcpListener() {
  loop_.cancel(pause_timer_);
  for (const auto& [descriptor, client] : clients_) {
    loop_.cancel(client->idle_timer);
    loop_.forget(descriptor);
  }
  loop_.forget(socket_.number());
}

// One connection per wake-up: a second accept() would mostly cost a system call to learn that there
// is none.
void TcpListener::accept() {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  const int accepted = ::accept4(socket_.number(), reinterpret_cast<sockaddr*>(&address), &length,
                                 SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (accepted < 0) {
    // Anything else is a client that has given up already.
    if (errno == EMFILE || errno == ENFILE) pause();
    return;
  }
  base::FileDescriptor socket(accepted);
  const int descriptor = socket.number();
  clients_[descriptor] = std::make_unique<Client>(
      TcpConnection(std::move(socket), settings_.tls, settings_.make_session()),
      transport::SocketAddress(reinterpret_cast<const sockaddr*>(&address), length),
      loop_.woken_at(), base::EventLoop::TimerId{});
  loop_.watch(descriptor, EPOLLIN | EPOLLRDHUP,
              [this, descriptor](std::uint32_t events) { serve(descriptor, events); });
  watch_idle(descriptor, loop_.woken_at());
  if (clients_.size() >= kMostConnections) loop_.change(socket_.number(), 0);
}

// The socket stays ready for as long as nobody accepts, which would keep the loop from ever
// waiting.
void TcpListener::pause() {
  loop_.change(socket_.number(), 0);
  pause_timer_ =
      loop_.at(loop_.woken_at() + kPause, [this] { loop_.change(socket_.number(), EPOLLIN); });
}

void TcpListener::serve(int descriptor, std::uint32_t events) {
  Client& client = *clients_.at(descriptor);
  client.heard_at = loop_.woken_at();
  if (!client.connection.serve(events)) return close(descriptor);
  if (client.connection.blocked() == client.waits_for_room) return;
  client.waits_for_room = client.connection.blocked();
  loop_.change(descriptor, client.waits_for_room ? EPOLLOUT : EPOLLIN | EPOLLRDHUP);
}

void TcpListener::close(int descriptor) {
  const auto found = clients_.find(descriptor);
  Client& client = *found->second;
  if (const auto& failure = client.connection.failure())
    settings_.log(to_string(client.remote) + ": TLS: " + *failure);
  loop_.cancel(client.idle_timer);
  loop_.close(client.connection.descriptor());
  clients_.erase(found);
  if (clients_.size() == kMostConnections - 1) loop_.change(socket_.number(), EPOLLIN);
}

// The timer is not moved at every read; when it comes it looks when the connection was last heard.
void TcpListener::watch_idle(int descriptor, base::Instant since) {
  clients_.at(descriptor)->idle_timer =
      loop_.at(since + settings_.idle_timeout, [this, descriptor] { check_idle(descriptor); });
}

void TcpListener::check_idle(int descriptor) {
  Client& client = *clients_.at(descriptor);
  if (client.heard_at + settings_.idle_timeout > loop_.woken_at())
    return watch_idle(descriptor, client.heard_at);
  client.connection.end();
  close(descriptor);
}

}  // namespace endpoints
