#include "endpoints/datagram_responder.hh"

#include <sys/epoll.h>

#include <cstdint>
#include <utility>

namespace endpoints {

DatagramResponder::DatagramResponder(base::EventLoop& loop, DatagramSocket socket,
                                     const Responder& responder)
    : loop_(loop), socket_(std::move(socket)), responder_(responder) {
  loop_.watch(socket_.descriptor().number(), EPOLLIN, [this](std::uint32_t) { serve(); });
}

DatagramResponder::~DatagramResponder() {
  loop_.forget(socket_.descriptor().number());
}

void DatagramResponder::serve() {
  socket_.receive([this](const transport::UdpPath& path, transport::ByteSpan query) {
    if (const auto answer = responder_.answer(query, Carrier::kDatagram))
      socket_.queue(path.remote, answer->message);
  });
  socket_.send_queued();
}

}  // namespace endpoints
