#include "endpoints/quic_endpoint.hh"

#include <sys/epoll.h>

#include <cstdint>
#include <utility>

namespace endpoints {

QuicEndpoint::QuicEndpoint(base::EventLoop& loop, DatagramSocket socket,
                           const transport::TlsContext& tls,
                           const transport::QuicListenerSettings& settings,
                           transport::QuicSessionFactory factory)
    : loop_(loop), socket_(std::move(socket)), listener_(tls, settings, std::move(factory)) {
  loop_.watch(socket_.descriptor().number(), EPOLLIN, [this](std::uint32_t) { serve(); });
}

QuicEndpoint::~QuicEndpoint() {
  loop_.cancel(timer_);
  loop_.forget(socket_.descriptor().number());
}

void QuicEndpoint::serve() {
  socket_.receive([this](const transport::UdpPath& path, transport::ByteSpan datagram) {
    listener_.receive(path, datagram, loop_.woken_at());
  });
  flush();
}

void QuicEndpoint::flush() {
  listener_.flush(loop_.woken_at(),
                  [this](const transport::UdpPath& path, transport::ByteSpan datagram) {
                    socket_.queue(path.remote, datagram);
                  });
  socket_.send_queued();
  arm();
}

void QuicEndpoint::arm() {
  loop_.cancel(timer_);
  timer_ = {};
  if (const auto expiry = listener_.expiry())
    timer_ = loop_.at(*expiry, [this] {
      listener_.handle_expiry(loop_.woken_at());
      flush();
    });
}

}  // namespace endpoints
