#include "clients/stream_exchange.hh"

#include "clients/tls_record.hh"

#include <sys/epoll.h>

#include <cstring>
#include <format>
#include <utility>

namespace clients {

using captures::Phases;

StreamExchange::StreamExchange(const ExchangeContext& context)
    : context_(context), carrier_(make_stream_carrier(context.spec, context.progress)) {}

StreamExchange::~StreamExchange() {
  if (socket_) context_.loop.forget(socket_->number());
}

void StreamExchange::start() {
  socket_.emplace(SocketKind::kTcp, context_.spec.server, context_.spec.local_port,
                  context_.buffer);
  const int error = socket_->connect();
  context_.progress.record().flows.push_back(socket_->flow());
  if (error != 0) {
    context_.progress.fail(std::strerror(error));
    return;
  }
  // Edge-triggered, so that one registration serves connecting, writing and reading.
  context_.loop.watch(socket_->number(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                      [this](std::uint32_t events) { on_ready(events); });
  if (context_.tls != nullptr) open_tls();
}

void StreamExchange::open_tls() {
  using Early = transport::TlsStream::Early;
  const QuerySpec& spec = context_.spec;
  if (context_.resumption == nullptr) {
    tls_.emplace(*context_.tls, spec.server_name);
  } else {
    tls_.emplace(*context_.tls, spec.server_name, context_.resumption->session,
                 spec.connection == Connection::kEarlyData ? Early::kYes : Early::kNo);
  }
}

void StreamExchange::ask_again() {
  captures::QueryRecord& record = context_.progress.record();
  record.flows.push_back(socket_->flow());
  if (tls_) record_tls_facts(tls_->facts(), record);
  if (failure_) return context_.progress.fail(*failure_);
  carrier_->ask_again();
  flush();
}

void StreamExchange::fail(std::string why) {
  if (!failure_) failure_ = why;
  context_.progress.fail(std::move(why));
}

void StreamExchange::on_ready(std::uint32_t events) {
  if (!connected_ && !finish_connecting(events)) return;
  if ((events & ~std::uint32_t{EPOLLOUT}) != 0) read_socket(events);
  // The farewell carries whatever is still to be said.
  if (!context_.progress.closing()) flush();
}

bool StreamExchange::finish_connecting(std::uint32_t events) {
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
    fail(std::format("connect: {}", std::strerror(socket_->pending_error())));
    return false;
  }
  connected_ = (events & EPOLLOUT) != 0;
  if (connected_) context_.progress.mark(&Phases::connect);
  return connected_;
}

void StreamExchange::read_socket(std::uint32_t events) {
  // A short read has emptied the socket, unless an end or an error stands behind the bytes, whose
  // edge was this one.
  const bool until_end = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  while (!context_.progress.closing()) {
    const ReceiveResult received = socket_->receive();
    if (received.error != 0) fail(std::strerror(received.error));
    if (received.end) end_of_stream();
    if (received.bytes.empty()) return;
    take_in(received.bytes);
    if (received.bytes.size() < ReceiveBuffer::kSlotBytes && !until_end) return;
  }
}

void StreamExchange::take_in(transport::ByteSpan bytes) {
  if (!tls_) {
    carrier_->receive(bytes);
    return;
  }
  tls_->receive(bytes);
  note_handshake();
  const transport::Bytes plaintext = tls_->take_plaintext();
  if (!plaintext.empty()) carrier_->receive(plaintext);
  if (tls_->failure()) fail(std::format("TLS: {}", *tls_->failure()));
}

void StreamExchange::note_handshake() {
  if (!tls_->handshake_complete() || std::exchange(handshake_noted_, true)) return;
  context_.progress.mark(&Phases::handshake);
  captures::QueryRecord& record = context_.progress.record();
  record_tls_facts(tls_->facts(), record);
  if (context_.spec.transport == Transport::kDoh2 && tls_->facts().alpn != transport::kAlpnHttp2)
    fail("the server does not speak HTTP/2 (no ALPN agreement)");
}

void StreamExchange::end_of_stream() {
  if (tls_) {
    tls_->receive_end();
    if (tls_->failure()) fail(std::format("TLS: {}", *tls_->failure()));
  }
  fail("the server closed the connection before its answer");
}

void StreamExchange::collect_output() {
  const transport::Bytes request = carrier_->take_output();
  if (!tls_) {
    transport::append(output_, request);
    return;
  }
  if (!request.empty()) tls_->write(request);
  transport::append(output_, tls_->take_output());
}

void StreamExchange::flush() {
  collect_output();
  if (output_.empty()) return;
  const SendResult sent = socket_->send(output_);
  if (sent.error != 0) {
    fail(std::strerror(sent.error));
    return;
  }
  output_.erase(output_.begin(), output_.begin() + static_cast<std::ptrdiff_t>(sent.bytes));
  if (tls_) context_.progress.record().early_data.attempted = tls_->early_data_offered();
  // What the socket did not take leaves when it reports room.
  if (output_.empty() && (!tls_ || tls_->handshake_complete() || tls_->early_data_offered()))
    context_.progress.mark(&Phases::sent);
}

void StreamExchange::close() {
  if (!connected_) return;
  carrier_->close();
  collect_output();
  if (tls_) {
    tls_->close();
    transport::append(output_, tls_->take_output());
  }
  // Held back by the kernel until the FIN joins it. A dead connection refuses it; there is nobody
  // left to tell.
  if (!output_.empty()) socket_->send(output_, true);
}

}  // namespace clients
