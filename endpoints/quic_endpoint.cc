#include "endpoints/quic_endpoint.hh"

#include <sys/epoll.h>

#include <cstdint>
#include <utility>

namespace endpoints {
namespace {

// Of timers per wake-up; what is left is served by the next one, after everybody else.
constexpr int kMostRounds = 4;

}  // namespace

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
  advance();
}

// Timers that are due already, as pacing's mostly are, run without another wait.
void QuicEndpoint::advance() {
  const base::Instant now = loop_.woken_at();
  for (int round = 0; round < kMostRounds; ++round) {
    listener_.flush(now, [this](const transport::UdpPath& path, transport::ByteSpan datagram) {
      socket_.queue(path.remote, datagram);
    });
    const auto expiry = listener_.expiry();
    if (!expiry || *expiry > now) break;
    listener_.handle_expiry(now);
  }
  socket_.send_queued();
  arm();
}

void QuicEndpoint::arm() {
  loop_.cancel(timer_);
  timer_ = {};
  if (const auto expiry = listener_.expiry())
    timer_ = loop_.at(*expiry, [this] {
      listener_.handle_expiry(loop_.woken_at());
      advance();
    });
}

}  // namespace endpoints
